import { carrelError, errnoOf } from '../../domain/error/error.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import type { Git } from '../../git/git.js';
import { readPlainRef } from '../../git/refs/plain-refs.js';
import { listRefs } from '../../git/refs/refs.js';
import { findWorktreePresence } from '../../git/repository/linked-worktree.js';
import { readForeignStatus } from '../../git/work-tree/foreign-status.js';
import { readOwnStatus } from '../../git/work-tree/work-tree-status.js';
import type { Inspection, InspectOptions, Presence } from '../backend.js';
import { measureDiskUsage } from '../files/directory-size.js';
import { inspectionOfFailure, presenceAlone } from '../location/presence.js';
import { compareWithBase } from '../work/compare-with-base.js';
import { withInspectionLimit } from '../work/inspection-limit.js';
import { mapAtOnce } from '../work/map-at-once.js';
import { requireCommonDir, worktreeGitDir, worktreeOf } from './worktree-place.js';

/** Concurrent git processes: enough to keep a disk busy without slowing down the machine. */
const AT_ONCE = 4;

/** Branches of one repository by short name, read once for all of its workspaces. */
type Tips = ReadonlyMap<string, string>;

export async function inspectWorktrees(
  git: Git,
  temporaryRoot: string,
  records: readonly WorkspaceRecord[],
  options: InspectOptions,
): Promise<Inspection[]> {
  const tips = new Map<string, Promise<Tips>>();
  const tipsOf = (commonDir: string): Promise<Tips> => {
    const known = tips.get(commonDir) ?? readTips(git, commonDir);
    tips.set(commonDir, known);
    return known;
  };
  return mapAtOnce(records, AT_ONCE, record =>
    inspectOne(git, temporaryRoot, record, options, tipsOf).catch(failure =>
      inspectionOfFailure(failure, () => findPresence(record)),
    ),
  );
}

async function inspectOne(
  git: Git,
  temporaryRoot: string,
  record: WorkspaceRecord,
  options: InspectOptions,
  tipsOf: (commonDir: string) => Promise<Tips>,
): Promise<Inspection> {
  const presence = await findPresence(record);
  if (presence.kind !== 'present' || options.presenceOnly) return presenceAlone(presence);
  const place = worktreeGitDir(record);
  const { status, sizeBytes } = await withInspectionLimit(place, async metered => ({
    status: await (metered.isForeign
      ? readForeignStatus(git, metered, temporaryRoot)
      : readOwnStatus(git, place)),
    sizeBytes: options.size ? await measureDiskUsage(record.path, metered.meter) : null,
  }));
  const baseTip = await findBaseTip(git, record, tipsOf);
  return {
    presence,
    branch: status.branch,
    head: status.head,
    changes: status.changes,
    warning: status.warning,
    ...(await compareWithBase(git, temporaryRoot, record, status.head, baseTip)),
    sizeBytes,
  };
}

/** FILE_UNREADABLE when we have no permission for the directory. */
export async function findPresence(record: WorkspaceRecord): Promise<Presence> {
  const presence = await findWorktreePresence(worktreeOf(record)).catch(error => {
    const problem = errnoOf(error);
    if (problem !== 'EACCES') throw error;
    throw carrelError('FILE_UNREADABLE', { path: record.path, problem }, error);
  });
  if (presence === 'present' || presence === 'missing') return { kind: presence };
  if ('movedTo' in presence) return { kind: 'moved', to: presence.movedTo };
  return { kind: 'replaced', found: presence.found };
}

async function readTips(git: Git, commonDir: string): Promise<Tips> {
  const refs = await listRefs(git, { gitDir: commonDir }, ['refs/heads', 'refs/remotes']);
  return new Map(refs.map(({ ref, commit }) => [ref.replace(/^refs\/(heads|remotes)\//, ''), commit]));
}

/** The base's current commit: the branch's tip when it was a branch, else the commit at creation. */
export async function findBaseTip(
  git: Git,
  record: WorkspaceRecord,
  tipsOf: (commonDir: string) => Promise<Tips> = commonDir => readTips(git, commonDir),
): Promise<string | null> {
  const { ref, commit } = record.base;
  if (!ref) return commit;
  const commonDir = requireCommonDir(record);
  return readPlainRef(commonDir, `refs/heads/${ref}`) ?? (await tipsOf(commonDir)).get(ref) ?? commit;
}
