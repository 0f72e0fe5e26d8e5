import type { Changes, WorkspaceRecord } from '../../domain/workspace.js';
import type { Git } from '../../git/git.js';
import { listRefs } from '../../git/refs.js';
import { readStatus } from '../../git/status.js';
import { readForeignStatus } from '../../git/work-tree/foreign-status.js';
import { exportBookmarks } from '../../jj/bookmarks.js';
import type { Jj } from '../../jj/jj.js';
import { isColocated } from '../../jj/repository.js';
import { headOf, type WorkingCopy } from '../../jj/working-copy.js';
import type { Inspection, InspectOptions } from '../backend.js';
import { compareWithBase } from '../compare-with-base.js';
import { mapAtOnce } from '../map-at-once.js';
import { presenceAlone } from '../presence.js';
import { measureDirectory } from '../size.js';
import { hasRepository, type JjBackendOptions, repositoryOf, requireCommonDir } from './place.js';
import { sight } from './presence.js';
import { viewOf, withView } from './view.js';

/** Runs that go on at once: enough to keep a disk busy, not so many that the machine feels it. */
const AT_ONCE = 4;

/** Branches of one repository by short name. */
type Tips = ReadonlyMap<string, string>;

export async function inspectJjWorkspaces(
  options: JjBackendOptions,
  records: readonly WorkspaceRecord[],
  look: InspectOptions,
): Promise<Inspection[]> {
  const tips = new Map<string, Promise<Tips>>();
  const tipsOf = (record: WorkspaceRecord): Promise<Tips> => {
    const known = tips.get(record.repository) ?? readTips(options, record);
    tips.set(record.repository, known);
    return known;
  };
  return mapAtOnce(records, AT_ONCE, record =>
    inspectOne(options, record, look, tipsOf).catch(async error => {
      // It may be removed while it is looked at; that is no reason to say nothing about all others.
      const { presence } = await sight(options.jj, record);
      if (presence.kind === 'present') throw error;
      return presenceAlone(presence);
    }),
  );
}

async function inspectOne(
  options: JjBackendOptions,
  record: WorkspaceRecord,
  look: InspectOptions,
  tipsOf: (record: WorkspaceRecord) => Promise<Tips>,
): Promise<Inspection> {
  const { presence, workingCopy } = await sight(options.jj, record);
  if (presence.kind !== 'present' || !workingCopy || look.presenceOnly) return presenceAlone(presence);
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
    sizeBytes: look.size ? await measureDirectory(record.path) : null,
  };
}

/** jj stages nothing; a file with a conflict is on the disk with its markers and so counted once, as conflicted. */
async function countChanges(
  { git, temporaryRoot }: JjBackendOptions,
  record: WorkspaceRecord,
  workingCopy: WorkingCopy,
): Promise<Changes> {
  const view = viewOf(record, headOf(workingCopy));
  const { changes } = await withView(git, temporaryRoot, view, place =>
    place.isForeign ? readForeignStatus(git, place, temporaryRoot) : readStatus(git, place),
  );
  const conflicted = workingCopy.conflicts.length;
  return { ...changes, unstaged: Math.max(0, changes.unstaged - conflicted), conflicted };
}

async function readTips(options: JjBackendOptions, record: WorkspaceRecord): Promise<Tips> {
  await settleRefs(options.jj, record);
  return readBranches(options.git, requireCommonDir(record));
}

async function readBranches(git: Git, commonDir: string): Promise<Tips> {
  const refs = await listRefs(git, { gitDir: commonDir }, ['refs/heads', 'refs/remotes']);
  return new Map(refs.map(({ ref, commit }) => [ref.replace(/^refs\/(heads|remotes)\//, ''), commit]));
}

/**
 * Brings git's branches up to jj's bookmarks, so that both can be asked in one way. In a colocated repository jj does so
 * with every command of the user's, and git's branches are left to them; elsewhere nobody but jj looks at git's.
 */
export async function settleRefs(jj: Jj, record: WorkspaceRecord): Promise<void> {
  if (!isColocated(repositoryOf(record)) && (await hasRepository(record)))
    await exportBookmarks(jj, record.repository);
}
