import type { Changes, WorkspaceRecord } from '../../domain/workspace/workspace.js';
import type { Git } from '../../git/git.js';
import { listRefs } from '../../git/refs/refs.js';
import { readForeignStatus } from '../../git/work-tree/foreign-status.js';
import { readStatus } from '../../git/work-tree/work-tree-status.js';
import { exportBookmarks } from '../../jj/bookmarks.js';
import type { Jj } from '../../jj/jj.js';
import { isColocated } from '../../jj/repository.js';
import { headOf, type WorkingCopy } from '../../jj/working-copy.js';
import type { Inspection, InspectOptions } from '../backend.js';
import { measureDiskUsage } from '../files/directory-size.js';
import { inspectionOfFailure, presenceAlone } from '../location/presence.js';
import { compareWithBase } from '../work/compare-with-base.js';
import { withInspectionLimit } from '../work/inspection-limit.js';
import { mapAtOnce } from '../work/map-at-once.js';
import { viewOf, withView } from './git-view.js';
import { hasRepository, type JjBackendOptions, repositoryOf, requireCommonDir } from './jj-place.js';
import { inspectJjPresence } from './jj-presence.js';

/** Concurrent processes: enough to keep a disk busy without slowing down the machine. */
const AT_ONCE = 4;

/** Branches of one repository by short name. */
type Tips = ReadonlyMap<string, string>;

export async function inspectJjWorkspaces(
  options: JjBackendOptions,
  records: readonly WorkspaceRecord[],
  inspectOptions: InspectOptions,
): Promise<Inspection[]> {
  const tips = new Map<string, Promise<Tips>>();
  const tipsOf = (record: WorkspaceRecord): Promise<Tips> => {
    const known = tips.get(record.repository) ?? readTips(options, record);
    tips.set(record.repository, known);
    return known;
  };
  return mapAtOnce(records, AT_ONCE, record =>
    inspectOne(options, record, inspectOptions, tipsOf).catch(failure =>
      inspectionOfFailure(failure, async () => (await inspectJjPresence(options, record)).presence),
    ),
  );
}

async function inspectOne(
  options: JjBackendOptions,
  record: WorkspaceRecord,
  inspectOptions: InspectOptions,
  tipsOf: (record: WorkspaceRecord) => Promise<Tips>,
): Promise<Inspection> {
  const { presence, workingCopy } = await inspectJjPresence(options, record);
  if (presence.kind !== 'present' || !workingCopy || inspectOptions.presenceOnly)
    return presenceAlone(presence);
  const { git, temporaryRoot } = options;
  const tips = await tipsOf(record);
  const head = headOf(workingCopy);
  const base = (record.base.ref === null ? undefined : tips.get(record.base.ref)) ?? record.base.commit;
  return {
    presence,
    branch: record.branch !== null && tips.has(record.branch) ? record.branch : null,
    head,
    changes: await countChanges(options, record, workingCopy),
    ...(await compareWithBase(git, temporaryRoot, record, head, base)),
    sizeBytes: inspectOptions.size ? await measureDiskUsage(record.path) : null,
  };
}

/** jj stages nothing; a file with a conflict is on the disk with its markers and so counted once, as conflicted. */
async function countChanges(
  { git, temporaryRoot, ownDirOf }: JjBackendOptions,
  record: WorkspaceRecord,
  workingCopy: WorkingCopy,
): Promise<Changes> {
  const limit = { markDir: ownDirOf(record.id) };
  const view = viewOf(record, headOf(workingCopy));
  const { changes } = await withView(git, temporaryRoot, view, place =>
    place.isForeign
      ? withInspectionLimit(place, metered => readForeignStatus(git, metered, temporaryRoot), limit)
      : readStatus(git, place),
  );
  const conflicted = workingCopy.conflicts.length;
  return { ...changes, unstaged: Math.max(0, changes.unstaged - conflicted), conflicted };
}

async function readTips(options: JjBackendOptions, record: WorkspaceRecord): Promise<Tips> {
  await exportToGit(options.jj, record);
  return readBranches(options.git, requireCommonDir(record));
}

async function readBranches(git: Git, commonDir: string): Promise<Tips> {
  const refs = await listRefs(git, { gitDir: commonDir }, ['refs/heads', 'refs/remotes']);
  return new Map(refs.map(({ ref, commit }) => [ref.replace(/^refs\/(heads|remotes)\//, ''), commit]));
}

/**
 * Updates git's branches to jj's bookmarks, so that both can be read the same way. In a colocated repository every jj
 * command of the user does so, and git's branches are left alone; elsewhere only jj reads git's branches.
 */
export async function exportToGit(jj: Jj, record: WorkspaceRecord): Promise<void> {
  if (!isColocated(repositoryOf(record)) && (await hasRepository(record)))
    await exportBookmarks(jj, record.repository);
}
