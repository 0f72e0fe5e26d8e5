import type { BytePath } from '../byte-path.js';
import { withScratchDirectory } from '../disk/scratch-directory.js';
import { hashContent } from '../files/content-hash.js';
import { chooseIgnored, type IgnoredFiles, type IgnoredLimits } from '../files/ignored-files.js';
import { hashListing } from '../files/listing-hash.js';
import { MOST_FILE_BYTES } from '../files/most-file-bytes.js';
import type { Git, GitOptions } from '../git.js';
import type { IndexEntry } from '../index/list-index-entries.js';
import { resolveCommit } from '../refs/refs.js';
import { findOperationInProgress, type OperationInProgress } from '../repository/operation-in-progress.js';
import type { WorkTreePlace } from '../work-tree-place.js';
import { listForeignChanges } from './foreign-changes.js';
import { type StatusSurvey, surveyByStatus } from './status-survey.js';
import { inspectSubmodules, inspectUnusedModules, type SubmoduleState } from './submodule-state.js';
import { occupiedDirectories, sortUnseen, surveyWorkTree, type WorkTreeSurvey } from './survey.js';

export interface StateOptions {
  /** Which ignored files to keep. Null when they are not needed: then none are reported. */
  readonly limits: IgnoredLimits | null;
  /** Ignored files copied at creation; they don't count as work while their content is this. */
  readonly included: readonly { readonly path: BytePath; readonly sha256: string }[];
  /** Where scratch files may go; a directory that exists. */
  readonly temporaryRoot: string;
}

/** Everything in a work tree that is in no commit. No path is in two of the first five lists, except `staged`. */
export interface WorkTreeState {
  /** False when the directory is gone; then only the state in its git directory is reported. */
  readonly isPresent: boolean;
  /** Index against HEAD. */
  readonly staged: readonly BytePath[];
  /** Tracked files that differ from the index: edited, deleted, of another type, intent-to-add. */
  readonly modified: readonly BytePath[];
  /** The same for files that git is set to ignore (assume-unchanged, skip-worktree). */
  readonly hidden: readonly BytePath[];
  readonly conflicted: readonly BytePath[];
  /** Neither tracked nor ignored, regardless of status.showUntrackedFiles. */
  readonly untracked: readonly BytePath[];
  readonly nestedRepositories: readonly BytePath[];
  /** Populated submodules with something that can't be fetched again. */
  readonly dirtySubmodules: readonly SubmoduleState[];
  /** `taken` is what a snapshot would hold, `omitted` what it would leave out; unchanged included files are in neither. */
  readonly ignored: IgnoredFiles;
  readonly operation: OperationInProgress | null;
  /** Changed and untracked files that no snapshot holds (see git/files/most-file-bytes.ts). */
  readonly tooLarge: readonly BytePath[];
  /** If set, nothing counts as staged, and the files are compared with HEAD. */
  readonly hasUnreadableIndex: boolean;
}

/** Inspects a work tree as thoroughly as a snapshot does. Writes nothing, not even the index's stat data. */
export async function readWorkTreeState(
  git: Git,
  place: WorkTreePlace,
  options: StateOptions,
): Promise<WorkTreeState> {
  return withScratchDirectory(options.temporaryRoot, async scratch => {
    const regenerable = options.limits?.regenerable ?? null;
    const survey =
      (await surveyByStatus(git, place, scratch, regenerable)) ??
      (await surveyWorkTree(git, place, scratch, regenerable));
    return describeSurvey(git, place, survey, options);
  });
}

/** The state of a work tree that was surveyed. */
export async function describeSurvey(
  git: Git,
  place: WorkTreePlace,
  survey: WorkTreeSurvey & Partial<StatusSurvey>,
  options: StateOptions,
): Promise<WorkTreeState> {
  const conflicted = listConflicted(survey.entries);
  const changed = survey.isPresent ? await listChanged(git, place, survey, conflicted) : [];
  const isHidden = hiddenPaths(survey.entries);
  const { ignored, stray } = sortUnseen(survey);
  return {
    isPresent: survey.isPresent,
    staged: await listStaged(git, survey, conflicted),
    modified: changed.filter(path => !isHidden.has(path)),
    hidden: changed.filter(path => isHidden.has(path)),
    conflicted: [...conflicted],
    untracked: [...survey.untracked, ...stray],
    nestedRepositories: survey.found.nestedRepositories,
    dirtySubmodules: await listDirtySubmodules(git, place, survey, options),
    ignored: await listIgnored(place, survey, ignored, options),
    operation: (await findOperationInProgress(place.gitDir)) ?? null,
    hasUnreadableIndex: survey.hasUnreadableIndex,
    tooLarge: [...changed, ...survey.untracked, ...stray].filter(
      path => (survey.found.files.get(path)?.bytes ?? 0) > MOST_FILE_BYTES,
    ),
  };
}

const listConflicted = (entries: readonly IndexEntry[]): ReadonlySet<BytePath> =>
  new Set(entries.filter(entry => entry.stage > 0).map(entry => entry.path));

export const hiddenPaths = (entries: readonly IndexEntry[]): ReadonlySet<BytePath> =>
  new Set(entries.filter(entry => entry.assumeUnchanged || entry.skipWorktree).map(entry => entry.path));

async function listChanged(
  git: Git,
  place: WorkTreePlace,
  survey: WorkTreeSurvey & Partial<StatusSurvey>,
  conflicted: ReadonlySet<BytePath>,
): Promise<BytePath[]> {
  if (survey.status) {
    // Submodules are inspected one by one.
    const edited = survey.status.filter(({ kind, isUnstaged, submodule }) => {
      return kind === 'tracked' && isUnstaged && !submodule;
    });
    return edited.map(({ path }) => path);
  }
  const changed = place.isForeign
    ? await listForeignChanges(git, place, survey)
    : await listDiffering(git, survey.index);
  return [...new Set(changed)].filter(path => !conflicted.has(path));
}

/** Refreshing the copy first excludes files that were only touched. */
async function listDiffering(git: Git, index: GitOptions): Promise<BytePath[]> {
  await git.run(['update-index', '-q', '--ignore-submodules', '--refresh'], { ...index, answers: [0, 1] });
  return git.records(['diff-files', '--name-only', '-z', '--ignore-submodules=all'], index);
}

async function listStaged(
  git: Git,
  survey: WorkTreeSurvey & Partial<StatusSurvey>,
  conflicted: ReadonlySet<BytePath>,
): Promise<BytePath[]> {
  if (survey.status) {
    const staged = survey.status.filter(({ kind, isStaged }) => kind === 'tracked' && isStaged);
    return staged.map(({ path }) => path);
  }
  const { index, entries } = survey;
  const isBorn = (await resolveCommit(git, index, 'HEAD')) !== undefined;
  const staged = isBorn
    ? await git.records(
        [
          'diff-index',
          '--cached',
          '--name-only',
          '-z',
          '--ita-invisible-in-index',
          '--ignore-submodules=none',
          'HEAD',
        ],
        index,
      )
    : entries.map(entry => entry.path);
  return [...new Set(staged)].filter(path => !conflicted.has(path));
}

async function listIgnored(
  place: WorkTreePlace,
  survey: WorkTreeSurvey,
  ignored: readonly BytePath[],
  options: StateOptions,
): Promise<IgnoredFiles> {
  if (!options.limits) return { taken: [], omitted: [], beyondLimit: [] };
  const brought = await listUnchanged(place, survey, options.included);
  const own = ignored.filter(path => !brought.has(path));
  return chooseIgnored(survey.found, own, occupiedDirectories(survey), options.limits);
}

async function listUnchanged(
  place: WorkTreePlace,
  survey: WorkTreeSurvey,
  included: StateOptions['included'],
): Promise<ReadonlySet<BytePath>> {
  const unchanged = new Set<BytePath>();
  for (const { path, sha256 } of included) {
    if (path.endsWith('/')) {
      const below = [...survey.found.files.keys()].filter(file => file.startsWith(path));
      const isSame = below.length > 0 && (await hashListing(place.workTree, path.slice(0, -1))) === sha256;
      for (const file of isSame ? below : []) unchanged.add(file);
      continue;
    }
    const file = survey.found.files.get(path);
    const isHashed = file?.kind === 'file' && file.bytes <= MOST_FILE_BYTES;
    if (isHashed && (await hashContent(place.workTree, path)) === sha256) unchanged.add(path);
  }
  return unchanged;
}

async function listDirtySubmodules(
  git: Git,
  place: WorkTreePlace,
  survey: WorkTreeSurvey,
  options: StateOptions,
): Promise<SubmoduleState[]> {
  const readState = (inner: WorkTreePlace) => readWorkTreeState(git, inner, { ...options, included: [] });
  const { populatedSubmodules } = survey.found;
  const states = await inspectSubmodules(git, place, populatedSubmodules, survey.entries, readState);
  const unused = await inspectUnusedModules(git, place, populatedSubmodules);
  return [...states, ...unused].filter(state => state.reasons.some(reason => reason !== 'ignored-files'));
}
