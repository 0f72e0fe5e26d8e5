import { link, mkdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { errnoOf, ignoreMissing, isCarrelError } from '../../domain/error/error.js';
import { withScratchDirectory } from '../../git/disk/scratch-directory.js';
import type { Git, GitOptions } from '../../git/git.js';
import { waitForIndexLock } from '../../git/index/index-lock.js';
import { copyKeepingTime } from '../../git/index/scratch-index.js';
import type { WorkTreePlace } from '../../git/work-tree-place.js';
import { incomingDir, removeIfEmpty } from '../incoming/incoming-repository.js';

export interface FollowRequest {
  readonly git: Git;
  readonly place: WorkTreePlace;
  /** The branch's former tip; it is at the new tip now. */
  readonly from: string;
}

/** Another process may write the index while we prepare ours. */
const ATTEMPTS = 3;

/**
 * Updates the index of the outside worktree to its branch. The files belong to the agent: they are neither written nor
 * read, so nothing in them has an effect; git compares the changed ones on its next run. What the user has staged outside
 * stays staged. Returns a warning when the index stays unchanged.
 */
export async function updateOutsideIndex({ git, place, from }: FollowRequest): Promise<string[]> {
  // In the incoming directory, so that it is cleaned up with it when this process is killed.
  const parent = incomingDir(place.commonDir, basename(place.gitDir));
  try {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      await mkdir(parent, { recursive: true });
      const isDone = await withScratchDirectory(parent, scratch => follow(git, place, from, scratch));
      if (isDone) return [];
    }
    return [`the index of ${place.workTree} is locked by another git process; check it with: git status`];
  } catch (error) {
    if (!isCarrelError(error, 'GIT_FAILED')) throw error;
    return [`staged changes in ${place.workTree} conflict with the imported commits`];
  } finally {
    await removeIfEmpty(parent);
    await removeIfEmpty(dirname(parent));
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
  // Keep the old time: a file changed in the second of the old index must not pass as unchanged.
  if (written) await utimes(indexFile, written.mtime, written.mtime);
  return replaceIndex(place.gitDir, indexFile, before);
}

/** Whether the index has something that neither the branch nor HEAD ever had: then the user staged it outside. */
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

/** With git's own lock protocol, so that other git processes see the old or the new index and never write at the same time. */
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
