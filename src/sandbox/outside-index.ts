import { link, mkdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoOf, ignoreMissing, isCarrelError } from '../domain/error.js';
import type { Git, GitOptions } from '../git/git.js';
import { waitForIndexLock } from '../git/index-lock.js';
import { withScratchDirectory } from '../git/scratch-directory.js';
import type { WorkTreePlace } from '../git/work-tree/place.js';
import { copyKeepingTime } from '../git/work-tree/scratch-index.js';
import { removeIfEmpty } from './incoming/incoming-repository.js';

export interface FollowRequest {
  readonly git: Git;
  readonly place: WorkTreePlace;
  /** What the branch stood at before; it stands at the new tip now. */
  readonly from: string;
}

/** Somebody else may write the index while we prepare ours. */
const ATTEMPTS = 3;

/**
 * Brings the index of the outside worktree to where its branch is now. The files are as the agent has them: they are
 * neither written nor looked at, so nothing in them can have a say; git looks at the changed ones when it is next asked.
 * What the user has staged outside stays staged. Gives a warning when the index stays as it was.
 */
export async function followOutside({ git, place, from }: FollowRequest): Promise<string[]> {
  const parent = join(place.commonDir, 'carrel');
  try {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      await mkdir(parent, { recursive: true });
      const isDone = await withScratchDirectory(parent, scratch => follow(git, place, from, scratch));
      if (isDone) return [];
    }
    return [`the index of ${place.workTree} is being written by another git; see there with: git status`];
  } catch (error) {
    if (!isCarrelError(error, 'GIT_FAILED')) throw error;
    return [`something is staged in ${place.workTree} that does not go with what was taken back`];
  } finally {
    await removeIfEmpty(parent);
  }
}

async function follow(git: Git, place: WorkTreePlace, from: string, scratch: string): Promise<boolean> {
  const index = join(place.gitDir, 'index');
  const indexFile = join(scratch, 'index');
  const before = await identify(index);
  await copyKeepingTime(index, indexFile);
  const nothing = join(scratch, 'files');
  await mkdir(nothing);
  const config = ['core.splitIndex=false', 'core.untrackedCache=false'];
  const options = { gitDir: place.gitDir, workTree: nothing, indexFile, config };
  const written = await stat(indexFile).catch(ignoreMissing);
  const trees = (await isStaged(git, options)) ? [from, 'HEAD'] : ['HEAD'];
  await git.run(['read-tree', '-i', '-m', ...trees], options);
  // As old as before: a file that was changed in the second of the old index must not pass for unchanged.
  if (written) await utimes(indexFile, written.mtime, written.mtime);
  return replaceIndex(place.gitDir, indexFile, before);
}

/** Whether the index holds something that neither the branch nor HEAD ever held: then somebody staged it outside. */
async function isStaged(git: Git, options: GitOptions): Promise<boolean> {
  const tree = await git.text(['write-tree'], options);
  const branch = await git.text(['symbolic-ref', 'HEAD'], options);
  const logs = await Promise.all(['HEAD', branch].map(ref => listTreesOfLog(git, options, ref)));
  return !logs.flat().includes(tree);
}

/** Without its log, such as with `core.logAllRefUpdates` off, git lists nothing. */
async function listTreesOfLog(git: Git, options: GitOptions, ref: string): Promise<string[]> {
  return (await git.text(['log', '--walk-reflogs', '--format=%T', ref], options)).split('\n');
}

/** By git's own protocol, so that every other git sees the old one or the new one, and never both write. */
async function replaceIndex(gitDir: string, draft: string, before: string): Promise<boolean> {
  const lock = join(gitDir, 'index.lock');
  if (!(await waitForIndexLock(gitDir))) return false;
  try {
    await link(draft, lock);
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false;
    throw error;
  }
  if ((await identify(join(gitDir, 'index'))) !== before) {
    await rm(lock);
    return false;
  }
  await rename(lock, join(gitDir, 'index'));
  return true;
}

async function identify(file: string): Promise<string> {
  const info = await stat(file, { bigint: true }).catch(ignoreMissing);
  return info ? [info.ino, info.size, info.mtimeNs, info.ctimeNs].join(' ') : '';
}
