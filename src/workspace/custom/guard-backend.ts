import { lstat } from 'node:fs/promises';
import { dirname, relative, resolve } from 'node:path';
import { ignoreMissing } from '../../domain/error/error.js';
import { createRisk, type Risk, riskFlags } from '../../domain/workspace/risk.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import type { Git } from '../../git/git.js';
import { readRef } from '../../git/refs/refs.js';
import { verifySnapshot } from '../../git/snapshot/verify/verify.js';
import type { Backend, Inspection, Removal, Snapshotting } from '../backend.js';
import { findDirectoryPresence } from '../location/presence.js';
import { watchLeftOut } from './left-out.js';
import { failure, reportFailures } from './report-failures.js';

/**
 * A backend of a user as Carrel uses it: its errors name it, and wherever its word alone could cost work, what it did is
 * verified. What only saves time (`cleanRemoval`, deleting in the background) is not used.
 */
export function guardBackend(name: string, backend: Backend, git: Git): Backend {
  const own = reportFailures(name, backend, 'own');
  return {
    ...own,
    name,
    ownsFiles: backend.ownsFiles,
    mountsFiles: backend.mountsFiles,
    create: async (record, hooks) => {
      const { leaveOut, findCopied } = watchLeftOut(hooks.leaveOut);
      const created = await own.create(record, { ...hooks, leaveOut });
      await requireDirectory(name, record);
      const copied = await findCopied(record.path);
      if (copied !== undefined)
        throw failure(name, 'create', `it copied ${copied}, which it had to leave out`);
      return { ...created, warnings: created?.warnings ?? [] };
    },
    inspect: async (records, options) =>
      requireInspections(name, records, await own.inspect(records, options)),
    findRisks: async (record, limits, options) =>
      requireRisks(name, await own.findRisks(record, limits, options)),
    removal: guardRemoval(name, backend),
    snapshots: backend.snapshots && guardSnapshots(name, backend, git),
    diffing: backend.diffing && reportFailures(name, backend, 'diffing'),
    returning: backend.returning && reportFailures(name, backend, 'returning'),
    landing: backend.landing && reportFailures(name, backend, 'landing'),
  };
}

async function requireDirectory(name: string, { path }: WorkspaceRecord): Promise<void> {
  const presence = await findDirectoryPresence(path);
  if (presence.kind !== 'present') throw failure(name, 'create', `there is no directory at ${path}`);
}

const PRESENCES: readonly unknown[] = ['present', 'missing', 'moved', 'replaced'];

function requireInspections(
  name: string,
  records: readonly WorkspaceRecord[],
  found: Inspection[],
): Inspection[] {
  const isWhole = Array.isArray(found) && found.every(each => PRESENCES.includes(each?.presence?.kind));
  if (isWhole && found.length === records.length) return found;
  const given = isWhole ? `${found.length} inspections` : 'something else';
  throw failure(name, 'inspect', `it returned ${given}; expected ${records.length} inspections`);
}

/** The flag that accepts a risk follows from its kind. */
function requireRisks(name: string, found: Risk[]): Risk[] {
  if (!Array.isArray(found))
    throw failure(name, 'findRisks', `it returned ${typeof found}; expected a list of risks`);
  return found.map(risk => {
    if (!Object.hasOwn(riskFlags, risk?.kind))
      throw failure(name, 'findRisks', `there is no kind of risk ${JSON.stringify(risk?.kind)}`);
    return createRisk(risk.kind, String(risk.message), [...(risk.items ?? [])], risk.advice ?? '');
  });
}

function guardRemoval(name: string, backend: Backend): Removal {
  const removal = reportFailures(name, backend, 'removal');
  const asideOf = (record: WorkspaceRecord): string => {
    const aside = removal.asideOf(record);
    if (isBeside(record.path, aside)) return aside;
    throw failure(name, 'removal.asideOf', `${aside} is not beside ${record.path}`);
  };
  return {
    ...removal,
    asideOf,
    setAside: async record => {
      asideOf(record);
      await removal.setAside(record);
      if (await exists(record.path))
        throw failure(name, 'removal.setAside', `the files are still at ${record.path}`);
    },
    destroy: async record => {
      await removal.destroy(record);
      if (await exists(asideOf(record)))
        throw failure(name, 'removal.destroy', `the files are still at ${asideOf(record)}`);
    },
  };
}

/** Below the folder of the workspace, and not in the workspace. */
function isBeside(path: string, aside: string): boolean {
  if (typeof aside !== 'string' || resolve(aside) !== aside) return false;
  return isBelow(dirname(path), aside) && aside !== path && !isBelow(path, aside);
}

function isBelow(directory: string, path: string): boolean {
  const way = relative(directory, path);
  return way !== '' && way !== '..' && !way.startsWith('../');
}

const exists = async (path: string): Promise<boolean> =>
  (await lstat(path).catch(ignoreMissing)) !== undefined;

/** A snapshot counts only when git itself finds the pinned commit and all of its objects. */
function guardSnapshots(name: string, backend: Backend, git: Git): Snapshotting {
  const { verifySent: _, ...snapshots } = reportFailures(name, backend, 'snapshots');
  return {
    ...snapshots,
    capture: async (record, request) => {
      const captured = await snapshots.capture(record, request);
      const { objectStore, ref } = snapshots.place(record, request.snapshotId);
      const pinned = await readRef(git, { gitDir: objectStore }, ref);
      if (captured?.commit === undefined || pinned !== captured.commit)
        throw failure(
          name,
          'snapshots.capture',
          `${ref} is ${pinned ?? 'missing'}; expected ${captured?.commit}`,
        );
      return { ...captured, files: captured.files ?? 0, omitted: captured.omitted ?? [] };
    },
    verify: async snapshot => {
      const [said, found] = [await snapshots.verify(snapshot), await verifySnapshot(git, snapshot)];
      return said === found ? found : undefined;
    },
  };
}
