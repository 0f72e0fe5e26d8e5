import { copyFileSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf } from '../../domain/error/error.js';
import type { BytePath } from '../byte-path.js';
import type { Git, GitOptions } from '../git.js';
import type { WorkTreePlace } from '../work-tree-place.js';
import type { IndexEntry } from './list-index-entries.js';

/** Where git commands on a copy of an index work. */
export type ScratchIndex = GitOptions & Readonly<Record<'gitDir' | 'workTree' | 'indexFile', string>>;

/**
 * Options for git commands on a copy of the work tree's index, so that the original is neither written nor refreshed. The
 * copy is not split (git would write shared parts into the git directory) and trusts no cache of untracked files.
 */
export async function copyIndex(place: WorkTreePlace, scratch: string): Promise<ScratchIndex> {
  const index = scratchIndexIn(place, scratch);
  await copyKeepingTime(join(place.gitDir, 'index'), untouchedCopyOf(index.indexFile));
  await copyKeepingTime(untouchedCopyOf(index.indexFile), index.indexFile);
  return index;
}

/** The same options for a copy that the caller writes. */
export const scratchIndexIn = (
  { gitDir, workTree }: Pick<WorkTreePlace, 'gitDir' | 'workTree'>,
  scratch: string,
): ScratchIndex => ({
  gitDir,
  workTree,
  indexFile: join(scratch, 'index'),
  config: ['core.splitIndex=false', 'core.untrackedCache=false', 'index.sparse=false'],
});

/** The bytes of the index that `copyIndex` copied; missing when there was none. */
export const untouchedCopyOf = (indexFile: string): string => `${indexFile}.untouched`;

/**
 * git considers a file unchanged without reading it when it is older than the index, so a copy that is newer than the
 * original would hide an edit made in the second of the last refresh. Rounding down to whole seconds is safe.
 */
export async function copyKeepingTime(from: string, to: string): Promise<void> {
  try {
    const { mtimeMs } = statSync(from);
    copyFileSync(from, to);
    putTime(to, mtimeMs);
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error;
  }
}

/** For a copy that git has written to: its entries are as old as before. */
export async function keepTime(from: string, to: string): Promise<void> {
  putTime(to, statSync(from).mtimeMs);
}

function putTime(file: string, milliseconds: number): void {
  const seconds = Math.floor(milliseconds / 1000);
  utimesSync(file, seconds, seconds);
}

/**
 * Clears assume-unchanged and skip-worktree, in the copy only. A skip-worktree entry without a file is left alone: in a
 * sparse checkout that is not a deletion.
 */
export async function revealEntries(
  git: Git,
  copy: GitOptions,
  entries: readonly IndexEntry[],
  isPresent: (path: BytePath) => boolean,
): Promise<void> {
  const merged = entries.filter(entry => entry.stage === 0);
  const assumed = merged.filter(
    entry => entry.assumeUnchanged && (!entry.skipWorktree || isPresent(entry.path)),
  );
  const skipped = merged.filter(entry => entry.skipWorktree && isPresent(entry.path));
  await updateFlag(git, copy, '--no-assume-unchanged', assumed);
  await updateFlag(git, copy, '--no-skip-worktree', skipped);
}

/** Sets skip-worktree for missing files, in the copy only. */
export const skipEntries = (git: Git, copy: GitOptions, entries: readonly IndexEntry[]): Promise<void> =>
  updateFlag(git, copy, '--skip-worktree', entries);

async function updateFlag(
  git: Git,
  copy: GitOptions,
  flag: string,
  entries: readonly IndexEntry[],
): Promise<void> {
  if (entries.length === 0) return;
  const stdin = Buffer.from(entries.map(entry => `${entry.path}\0`).join(''), 'latin1');
  await git.run(['update-index', flag, '-z', '--stdin'], { ...copy, stdin });
}
