import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { carrelError } from '../../domain/error.js';
import type { BytePath } from '../byte-path.js';
import type { Git, GitOptions } from '../git.js';
import { FOREIGN_COPY, type ForeignListing, listForeignUntracked } from './foreign-files.js';
import { GITLINK_MODE, type IndexEntry, listIndexEntries } from './index-entries.js';
import { parentDirectories } from './parent-directories.js';
import type { WorkTreePlace } from './place.js';
import { statEntry } from './read-directory.js';
import { copyIndex, revealEntries, skipEntries } from './scratch-index.js';
import { type FoundFiles, type WalkRules, walkWorkTree } from './walk.js';

/** Everything that lies in a work tree, sorted by what it is to git. */
export interface WorkTreeSurvey {
  /** Whether there is a directory at all. */
  readonly isPresent: boolean;
  /**
   * For git commands on a copy of the index in which nothing is hidden. Of a foreign work tree the files are not where
   * these commands look (see foreign-files.ts).
   */
  readonly index: GitOptions & { readonly indexFile: string };
  /** As the work tree's own index has them, hiding bits included. */
  readonly entries: readonly IndexEntry[];
  readonly found: FoundFiles;
  /** Files that are neither tracked nor ignored, as git sees it. */
  readonly untracked: readonly BytePath[];
  /** All other files that are not tracked: the ignored ones, and whatever git does not see at all. */
  readonly unseen: readonly BytePath[];
}

/**
 * Looks at all of a work tree without changing anything in it. What is not tracked and not untracked is found by
 * walking rather than by asking git for the ignored files, so that no file can fall between two lists. With `removed`
 * only the files that differ are there, and those of the index that are neither there nor removed count as unchanged.
 * With null for `regenerable` nobody asks for ignored files, and some may be missing.
 */
export async function surveyWorkTree(
  git: Git,
  place: WorkTreePlace,
  scratch: string,
  regenerable: readonly string[] | null,
  removed?: ReadonlySet<BytePath>,
): Promise<WorkTreeSurvey> {
  const isPresent = isWorkTreePresent(place);
  const workTree = await chooseWorkTree(place, isPresent, scratch);
  const index = await copyIndex({ ...place, workTree }, scratch);
  const entries = await listIndexEntries(git, index);
  if (removed) await skipUnchanged(git, place, index, entries, removed);
  const { untracked, ignoredDirectories } = isPresent
    ? await listUntracked(git, place, index, entries)
    : { untracked: [], ignoredDirectories: [] };
  const found = await walkWorkTree(place.workTree, {
    ...walkRules(entries, untracked, regenerable ?? []),
    apart: place.apart,
    passedOver: new Set(regenerable === null ? ignoredDirectories : []),
  });
  await revealEntries(git, index, entries, path => found.files.has(path));
  const known = new Set([...entries.map(entry => entry.path), ...untracked]);
  const unseen = [...found.files.keys()].filter(path => !known.has(path));
  return {
    isPresent,
    index,
    entries,
    found,
    untracked: untracked.filter(path => found.files.has(path)),
    unseen,
  };
}

/** Anything but a directory in its place is not the work tree; UNSAFE_PATH, because it could lead anywhere. */
function isWorkTreePresent(place: WorkTreePlace): boolean {
  const stats = statEntry(place.workTree, '');
  if (stats && !stats.isDirectory())
    throw carrelError('UNSAFE_PATH', { path: place.workTree, root: place.workTree });
  return stats !== undefined;
}

/** Where git is to look. It wants to be somewhere even when the files are gone. */
async function chooseWorkTree(place: WorkTreePlace, isPresent: boolean, scratch: string): Promise<string> {
  if (!isPresent) return scratch;
  if (!place.isForeign) return place.workTree;
  const copy = join(scratch, FOREIGN_COPY);
  await mkdir(copy);
  return copy;
}

/**
 * Of a file that is not there because nothing differs git reads the content from the index, as in a sparse checkout, in
 * particular that of a .gitignore. In the copy only.
 */
async function skipUnchanged(
  git: Git,
  place: WorkTreePlace,
  index: GitOptions,
  entries: readonly IndexEntry[],
  removed: ReadonlySet<BytePath>,
): Promise<void> {
  const isUnchanged = ({ path, stage }: IndexEntry) =>
    stage === 0 && !removed.has(path) && !statEntry(place.workTree, path);
  await skipEntries(git, index, entries.filter(isUnchanged));
}

/** Not `status`: that would obey status.showUntrackedFiles. Entries with a slash at the end are nested repositories. */
async function listUntracked(
  git: Git,
  place: WorkTreePlace,
  index: GitOptions,
  entries: readonly IndexEntry[],
): Promise<ForeignListing> {
  if (place.isForeign) return listForeignUntracked(git, place, index, entries);
  const records = await git.records(['ls-files', '--others', '--exclude-standard', '-z'], index);
  return { untracked: records.filter(path => !path.endsWith('/')), ignoredDirectories: [] };
}

function walkRules(
  entries: readonly IndexEntry[],
  untracked: readonly BytePath[],
  regenerable: readonly string[],
): WalkRules {
  return {
    gitlinks: new Set(entries.filter(entry => entry.mode === GITLINK_MODE).map(entry => entry.path)),
    occupied: parentDirectories([...entries.map(entry => entry.path), ...untracked]),
    regenerable: new Set(regenerable),
  };
}

/**
 * What git does not list is ignored, or lies in the directory of a submodule that is not checked out, where git never
 * looks: `stray` is as good as untracked.
 */
export function sortUnseen(survey: WorkTreeSurvey): {
  readonly stray: BytePath[];
  readonly ignored: BytePath[];
} {
  const gitlinks = survey.entries.filter(entry => entry.mode === GITLINK_MODE).map(entry => `${entry.path}/`);
  const stray = new Set(survey.unseen.filter(path => gitlinks.some(gitlink => path.startsWith(gitlink))));
  return { stray: [...stray], ignored: survey.unseen.filter(path => !stray.has(path)) };
}

/** Directories with something tracked or untracked in them. */
export function occupiedDirectories(survey: WorkTreeSurvey): Set<BytePath> {
  return parentDirectories([...survey.entries.map(entry => entry.path), ...survey.untracked]);
}
