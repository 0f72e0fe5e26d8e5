import { isCarrelError } from '../../domain/error/error.js';
import { findAutorunFiles } from '../../domain/workspace/autorun-files.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { type BytePath, displayPath } from '../../git/byte-path.js';
import { listTreeChanges } from '../../git/diff/tree-changes.js';
import { withScratchDirectory } from '../../git/disk/scratch-directory.js';
import { isPlainPath } from '../../git/files/tree-path.js';
import type { Git } from '../../git/git.js';
import { confirmOwnIndex } from '../../git/index/confirmed-index.js';
import { type StatusSurvey, surveyByStatus } from '../../git/work-tree/status-survey.js';
import { describeSurvey, hiddenPaths } from '../../git/work-tree/work-tree-state.js';
import { countChanges } from '../../git/work-tree/work-tree-status.js';
import type { FullInspection, InspectOptions, Presence, SnapshotLimits } from '../backend.js';
import { measureDiskUsage } from '../files/directory-size.js';
import { compareWithBase } from '../work/compare-with-base.js';
import { findMergeBase } from './diffing.js';
import { findBaseTip, findPresence } from './inspect.js';
import { findCommitRisks, findLockRisk, listWorkRisks } from './risks.js';
import { worktreeGitDir } from './worktree-place.js';

interface Tools {
  readonly git: Git;
  readonly temporaryRoot: string;
}

/**
 * What `inspect`, `findRisks` and the paths of `diff` say, from one `git status`. Undefined where that is not enough: then
 * each of them reports what it finds, or why it can't.
 */
export async function inspectWorktreeFully(
  { git, temporaryRoot }: Tools,
  record: WorkspaceRecord,
  limits: SnapshotLimits,
  options: Pick<InspectOptions, 'size'>,
): Promise<FullInspection | undefined> {
  const place = worktreeGitDir(record);
  const presence = await findPresence(record).catch(() => undefined);
  if (presence?.kind !== 'present' || place.isForeign) return undefined;
  return withScratchDirectory(temporaryRoot, async scratch => {
    await confirmOwnIndex(place);
    const survey = await surveyByStatus(git, place, scratch, limits.regenerable, 'all');
    return survey && describe({ git, temporaryRoot }, record, survey, { limits, presence, ...options });
  }).catch(error => {
    if (isCarrelError(error)) return undefined;
    throw error;
  });
}

async function describe(
  { git, temporaryRoot }: Tools,
  record: WorkspaceRecord,
  survey: StatusSurvey,
  { limits, presence, size }: Pick<InspectOptions, 'size'> & { limits: SnapshotLimits; presence: Presence },
): Promise<FullInspection> {
  const { included } = record;
  const { head, branch, warning } = survey.headers;
  const isHidden = hiddenPaths(survey.entries);
  const state = await describeSurvey(git, worktreeGitDir(record), survey, {
    limits,
    included,
    temporaryRoot,
  });
  const baseTip = await findBaseTip(git, record);
  const [compared, commits, changed] = await Promise.all([
    compareWithBase(git, temporaryRoot, record, head, baseTip),
    findCommitRisks(git, temporaryRoot, record, { head: head ?? undefined }),
    listChanged(git, record, survey),
  ]);
  const inspection = {
    ...{ presence, branch, head, warning },
    changes: countChanges(survey.status, path => isHidden.has(path)),
    ...compared,
    sizeBytes: size ? await measureDiskUsage(record.path) : null,
  };
  const files = await listWorkRisks(record, state);
  return { inspection, risks: [...files, ...commits, ...(await findLockRisk(record))], changed };
}

/**
 * Added or changed files against the merge base. A file that was changed more than once, in a commit and in the work tree for
 * example, may be the same as in the base again: it counts as changed, unless that would be a false report of an autorun
 * file. Then undefined: only a diff shows it.
 */
async function listChanged(
  git: Git,
  record: WorkspaceRecord,
  { headers: { head }, status, found }: StatusSurvey,
): Promise<string[] | undefined> {
  const { gitDir } = worktreeGitDir(record);
  const against = await findMergeBase(git, record);
  const committed = head && head !== against ? await listTreeChanges(git, { gitDir }, against, head) : [];
  const edited = status.filter(({ submodule }) => submodule?.hasOtherCommit ?? true);
  const seen = [
    ...committed.map(({ path }) => path),
    ...status.filter(({ kind, isStaged }) => kind === 'tracked' && isStaged).map(({ path }) => path),
    ...edited.filter(({ kind, isUnstaged }) => isUnstaged || kind === 'conflicted').map(({ path }) => path),
  ];
  const times = new Map<BytePath, number>();
  for (const path of seen) times.set(path, (times.get(path) ?? 0) + 1);
  const deleted = new Set(committed.filter(({ after }) => !after).map(({ path }) => path));
  for (const { path, submodule } of edited)
    if (found.files.has(path) || (submodule && found.directories.has(path))) deleted.delete(path);
    else deleted.add(path);
  const changed = [...times.keys()].filter(path => isPlainPath(path) && !deleted.has(path)).sort();
  const unclear = changed.filter(path => (times.get(path) ?? 0) > 1).map(displayPath);
  return findAutorunFiles(unclear).length > 0 ? undefined : changed.map(displayPath);
}
