import { copyFile, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoOf } from '../../domain/error.js';
import type { BytePath } from '../byte-path.js';
import type { Git, GitOptions } from '../git.js';
import type { IndexEntry } from './index-entries.js';
import type { WorkTreePlace } from './place.js';

/**
 * Options for git commands on a copy of the work tree's index, so that its own is neither written nor refreshed. The
 * copy is not split (git would write shared parts into the git directory) and trusts no cache of untracked files.
 */
export async function copyIndex(
  place: WorkTreePlace,
  scratch: string,
): Promise<GitOptions & { indexFile: string }> {
  const indexFile = join(scratch, 'index');
  await copyKeepingTime(join(place.gitDir, 'index'), untouchedCopyOf(indexFile));
  await copyKeepingTime(untouchedCopyOf(indexFile), indexFile);
  return {
    gitDir: place.gitDir,
    workTree: place.workTree,
    indexFile,
    config: ['core.splitIndex=false', 'core.untrackedCache=false', 'index.sparse=false'],
  };
}

/** The bytes of the index that `copyIndex` copied; not there when there was none. */
export const untouchedCopyOf = (indexFile: string): string => `${indexFile}.untouched`;

/**
 * git takes a file for unchanged without reading it when it is older than the index, so a copy that looked younger than
 * the original would hide an edit from the second of the last refresh. Whole seconds, rounded down, are on the safe side.
 */
export async function copyKeepingTime(from: string, to: string): Promise<void> {
  try {
    const { mtimeMs } = await stat(from);
    await copyFile(from, to);
    const seconds = Math.floor(mtimeMs / 1000);
    await utimes(to, seconds, seconds);
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error;
  }
}

/**
 * Makes git look again at entries it was told to look away from, in the copy only. A skip-worktree entry without a file
 * is left alone: in a sparse checkout that is not a deletion.
 */
export async function revealEntries(
  git: Git,
  copy: GitOptions,
  entries: readonly IndexEntry[],
  isPresent: (path: BytePath) => boolean,
): Promise<void> {
  const settled = entries.filter(entry => entry.stage === 0);
  const assumed = settled.filter(
    entry => entry.assumeUnchanged && (!entry.skipWorktree || isPresent(entry.path)),
  );
  const skipped = settled.filter(entry => entry.skipWorktree && isPresent(entry.path));
  await updateFlag(git, copy, '--no-assume-unchanged', assumed);
  await updateFlag(git, copy, '--no-skip-worktree', skipped);
}

/** Makes git look away from files that are not there, in the copy only. */
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
