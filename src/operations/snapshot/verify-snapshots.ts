import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isCarrelError } from '../../domain/error/error.js';
import type { DoctorReport } from '../../domain/report/result.js';
import type { Snapshot } from '../../domain/snapshot/snapshot.js';
import { formatSize } from '../../domain/text/format-quantity.js';
import { withScratchDirectory } from '../../git/disk/scratch-directory.js';
import { keptDirIn } from '../../git/snapshot/kept-store.js';
import { type DeepRequest, examineObjects, type Finding } from '../../git/snapshot/verify/examine-objects.js';
import { tryRestore } from '../../git/snapshot/verify/try-restore.js';
import { freeBytes } from '../../workspace/files/free-disk.js';
import { removeTree } from '../../workspace/files/remove-tree.js';
import type { Context } from '../context.js';
import { vaultOf } from '../repository/kept-record.js';
import { findRepository, isOf } from '../workspace/find-workspace.js';

export interface VerifyInput {
  readonly repository: string;
  /** The snapshots of every repository. */
  readonly all?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

type Checked = NonNullable<DoctorReport['snapshots']>[number];

/**
 * Verifies that each snapshot can be restored: every object is hashed, and the snapshot is restored into a scratch
 * directory and compared file by file. One at a time, so that at most one of them takes space.
 */
export async function verifySnapshots(context: Context, input: VerifyInput): Promise<Checked[]> {
  const repository = input.all ? undefined : await findRepository(context, input.repository);
  const snapshots = (await context.store.snapshots.list()).filter(
    snapshot => snapshot.commit !== null && (!repository || isOf(repository, snapshot)),
  );
  const checked: Checked[] = [];
  for (const [at, snapshot] of snapshots.entries()) {
    input.signal?.throwIfAborted();
    const { id, workspaceName } = snapshot;
    context.narrate(`verifying snapshot ${at + 1} of ${snapshots.length}: ${id} of ${workspaceName}`);
    const result = await verifyOne(context, snapshot, input.signal);
    // Another process may have removed it meanwhile.
    if (result.status === 'ok' || (await isStillThere(context, snapshot))) checked.push(result);
  }
  return checked;
}

const isStillThere = async ({ store }: Pick<Context, 'store'>, { id, commit }: Snapshot): Promise<boolean> =>
  (await store.snapshots.find(id))?.commit === commit;

async function verifyOne(
  context: Pick<Context, 'git' | 'places'>,
  snapshot: Snapshot,
  signal: AbortSignal | undefined,
): Promise<Checked> {
  const { id, workspaceName, repository, objectStore, ref } = snapshot;
  const request = {
    objectStore,
    ref,
    commit: snapshot.commit as string,
    isDirectory: objectStore === vaultOf(context.places),
    keptDir: keptDirIn(context.places.stateDir),
    signal,
  };
  const about = { id, workspace: workspaceName, repository };
  try {
    const findings = await findProblems(context, request);
    if (findings.length === 0) return { ...about, status: 'ok', problems: [], hint: null };
    const problems = findings.map(({ problem }) => problem);
    return { ...about, status: 'broken', problems, hint: adviseOn(snapshot, findings) };
  } catch (error) {
    if (!(error instanceof NoRoomError)) throw error;
    const hint = 'free some space, or set TMPDIR to a directory with more';
    return { ...about, status: 'skipped', problems: [error.message], hint };
  }
}

async function findProblems(
  context: Pick<Context, 'git' | 'places'>,
  request: DeepRequest,
): Promise<Finding[]> {
  const { objectStore, signal } = request;
  if (!existsSync(objectStore)) return [{ part: 'work', problem: `${objectStore} is gone` }];
  const found = await examineObjects(context.git, request);
  if (found.some(({ part }) => part !== 'ref')) return found;
  try {
    const problems = await restoreInScratch(context, request);
    return [...found, ...problems.map(problem => ({ part: 'work', problem }) as const)];
  } catch (error) {
    signal?.throwIfAborted();
    const isAboutIt = isCarrelError(error) && error.code !== 'DISK_FULL';
    if (!isAboutIt) throw error;
    return [...found, { part: 'work', problem: `it can't be restored: ${error.message}` }];
  }
}

/** Also after Ctrl-C nothing is left of it; after a kill the next command deletes it. */
async function restoreInScratch(
  context: Pick<Context, 'git' | 'places'>,
  request: DeepRequest,
): Promise<string[]> {
  const { temporaryRoot } = context.places;
  return withScratchDirectory(temporaryRoot, async own => {
    const scratch = join(own, 'snapshot');
    await mkdir(scratch);
    try {
      const requireRoom = (bytes: number) => requireFree(temporaryRoot, bytes);
      return await tryRestore(context.git, { ...request, scratch, requireRoom });
    } finally {
      await removeTree(scratch);
    }
  });
}

class NoRoomError extends Error {}

/** Files take whole blocks, and restored files are first written next to their path. */
const ROOM_FACTOR = 1.2;
const SPARE_BYTES = 64 * 1024 ** 2;

async function requireFree(directory: string, bytes: number): Promise<void> {
  const needed = bytes * ROOM_FACTOR + SPARE_BYTES;
  const free = await freeBytes(directory);
  if (free >= needed) return;
  throw new NoRoomError(
    `restoring it needs ${formatSize(needed)}, and ${directory} has ${formatSize(free)} free`,
  );
}

function adviseOn({ id, objectStore, ref, commit }: Snapshot, findings: readonly Finding[]): string {
  const parts = new Set(findings.map(({ part }) => part));
  if (parts.has('work')) return `check the repository with: git --git-dir ${objectStore} fsck`;
  if (parts.has('kept'))
    return `restore everything except ignored files and nested repositories with: carrel restore ${id}`;
  return `put it back with: git --git-dir ${objectStore} update-ref ${ref} ${commit}`;
}
