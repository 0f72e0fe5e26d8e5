import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { carrelError } from '../../domain/error/error.js';
import type { BytePath } from '../byte-path.js';
import { parentDirectories } from '../files/parent-directories.js';
import { statEntry } from '../files/read-directory.js';
import { type FoundFiles, type WalkRules, walkWorkTree } from '../files/walk.js';
import type { Git, GitOptions } from '../git.js';
import { GITLINK_MODE, type IndexEntry } from '../index/list-index-entries.js';
import { readCopiedIndex } from '../index/readable-index.js';
import { copyIndex, revealEntries, skipEntries, untouchedCopyOf } from '../index/scratch-index.js';
import { clearDoubtfulStats } from '../index/unseen-edits.js';
import type { WorkTreePlace } from '../work-tree-place.js';
import { FOREIGN_COPY, type ForeignListing, listForeignUntracked } from './foreign-files.js';

/** Everything in a work tree, sorted by its git status. */
export interface WorkTreeSurvey {
  /** Whether the directory exists. */
  readonly isPresent: boolean;
  /**
   * For git commands on a copy of the index in which nothing is hidden. Of a foreign work tree the files are not where
   * these commands look (see foreign-files.ts).
   */
  readonly index: GitOptions & { readonly indexFile: string };
  /** As the work tree's own index has them, hiding bits included. */
  readonly entries: readonly IndexEntry[];
  /** Whether git cannot read the work tree's own index; then index and entries are those of HEAD. */
  readonly hasUnreadableIndex: boolean;
  readonly found: FoundFiles;
  /** The current state of `found`. */
  readonly findAgain: () => Promise<FoundFiles>;
  /** Files that are neither tracked nor ignored, as git sees it. */
  readonly untracked: readonly BytePath[];
  /** All other files that are not tracked: ignored ones, and those that git does not see at all. */
  readonly unseen: readonly BytePath[];
}

/**
 * Inspects all of a work tree without changing anything in it. Files that are neither tracked nor untracked are found by
 * walking rather than by asking git for ignored files, so that no file is missed. With `removed` only the files that differ
 * exist, and those of the index that are neither there nor removed count as unchanged. With null for `regenerable` ignored
 * files are not needed, and some may be missing.
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
  const { entries, isUnreadable } = await readCopiedIndex(git, index);
  if (removed) await skipUnchanged(git, place, index, entries, removed);
  const listed = isPresent
    ? await listUntracked(git, place, { ...index, workTree }, entries)
    : { untracked: [], ignoredDirectories: [] };
  const files = await findFiles(place, entries, listed, regenerable);
  await revealEntries(git, index, entries, path => files.found.files.has(path));
  if (isPresent && !place.isForeign) await clearDoubtfulStats(git, index, untouchedCopyOf(index.indexFile));
  return { isPresent, index, entries, hasUnreadableIndex: isUnreadable, ...files };
}

/** What is there, sorted by what the index and git's list of untracked files say. */
export async function findFiles(
  place: WorkTreePlace,
  entries: readonly IndexEntry[],
  { untracked, ignoredDirectories }: ForeignListing,
  regenerable: readonly string[] | null,
): Promise<Pick<WorkTreeSurvey, 'found' | 'findAgain' | 'untracked' | 'unseen'>> {
  const rules = {
    ...walkRules(entries, untracked, regenerable ?? []),
    apart: place.apart,
    passedOver: new Set(regenerable === null ? ignoredDirectories : []),
    meter: place.meter,
  };
  const findAgain = () => walkWorkTree(place.workTree, rules, '', place.leftOut);
  const found = await findAgain();
  const known = new Set([...entries.map(entry => entry.path), ...untracked]);
  return {
    found,
    findAgain,
    untracked: untracked.filter(path => found.files.has(path)),
    unseen: [...found.files.keys()].filter(path => !known.has(path)),
  };
}

/** Anything but a directory at its path is not the work tree: UNSAFE_PATH, because it could lead anywhere. */
export function isWorkTreePresent(place: WorkTreePlace): boolean {
  const stats = statEntry(place.workTree, '');
  if (stats && !stats.isDirectory())
    throw carrelError('UNSAFE_PATH', { path: place.workTree, root: place.workTree });
  return stats !== undefined;
}

/** Where git runs. It needs a directory even when the files are gone. */
export async function chooseWorkTree(
  place: WorkTreePlace,
  isPresent: boolean,
  scratch: string,
): Promise<string> {
  if (!isPresent) return scratch;
  if (!place.isForeign) return place.workTree;
  const copy = join(scratch, FOREIGN_COPY);
  await mkdir(copy);
  return copy;
}

/**
 * For a file that is missing because it is unchanged, git reads the content from the index, as in a sparse checkout, in
 * particular of a .gitignore. In the copy only.
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
  index: GitOptions & { readonly workTree: string },
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
 * What git does not list is ignored, or is in the directory of a submodule that is not checked out, where git never looks:
 * `stray` counts as untracked.
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
