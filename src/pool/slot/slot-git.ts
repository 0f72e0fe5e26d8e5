import {
  closeSync,
  constants,
  copyFileSync,
  lstatSync,
  openSync,
  readSync,
  renameSync,
  statSync,
  utimesSync,
} from 'node:fs';
import { stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import type { SlotRecord } from '../../domain/workspace/slot.js';
import type { GitOptions } from '../../git/git.js';
import type { PrivateGitRequest } from '../../git/repository/private-git.js';
import { slotPlace } from './slot-place.js';

/** Whatever the repository's configuration says, a slot's index is one plain file without caches of directories. */
const PLAIN_INDEX = [
  'core.splitIndex=false',
  'core.untrackedCache=false',
  'index.sparse=false',
  'feature.manyFiles=false',
  // The checksum is recorded: see `readChecksum`.
  'index.skipHash=false',
  'core.preloadIndex=true',
  // The git directory has to be as it was written.
  'core.logAllRefUpdates=false',
];

/** For our own gits in a slot. Only after its git directory was proven to be as written: they obey its configuration. */
export function gitIn(directory: string, options: GitOptions = {}): GitOptions {
  const { gitDir, workTree } = slotPlace(directory);
  return { gitDir, workTree, ...options, config: [...PLAIN_INDEX, ...(options.config ?? [])] };
}

/** Of the same content, with less than this many files, one process is faster than several. */
export const parallelCheckout = (workers: number): string[] => [
  `checkout.workers=${workers}`,
  'checkout.thresholdForParallelism=100',
];

export function privateGitOf({ directory, commonDir, commit }: SlotRecord): PrivateGitRequest {
  const { gitDir, workTree } = slotPlace(directory);
  return { gitDir, workTree, commonDir, commit };
}

/** The index of a slot that was just proven clean becomes the pristine one. */
export async function keepIndex(directory: string): Promise<void> {
  const { gitDir, pristineIndex } = slotPlace(directory);
  await copyIndex(join(gitDir, 'index'), pristineIndex);
}

/**
 * The checksum that git has written at the end of the pristine index, of everything before it; undefined without one. What has the
 * recorded one and is read with a check of its checksum is what was written there.
 */
export function readChecksum({ directory, commit }: SlotRecord): string | undefined {
  const { pristineIndex } = slotPlace(directory);
  const size = commit.length / 2;
  const info = lstatSync(pristineIndex, { throwIfNoEntry: false });
  if (!info?.isFile() || info.size < size) return undefined;
  const checksum = Buffer.alloc(size);
  const file = openSync(pristineIndex, 'r');
  try {
    readSync(file, checksum, 0, size, info.size - size);
  } finally {
    closeSync(file);
  }
  return checksum.every(byte => byte === 0) ? undefined : checksum.toString('hex');
}

/** The pristine index becomes the one that git works with. */
export async function putIndex(directory: string): Promise<void> {
  const { gitDir, pristineIndex } = slotPlace(directory);
  await copyIndex(pristineIndex, join(gitDir, 'index'));
}

/**
 * A copy and not a link: who writes over git's index would write over the other too. It keeps its time, by which git
 * knows the files that it must look into because they were written in the same second. In place by rename, whole.
 */
async function copyIndex(from: string, to: string): Promise<void> {
  const draft = `${to}.carrel`;
  const { mtimeMs } = statSync(from);
  copyFileSync(from, draft, constants.COPYFILE_FICLONE);
  utimesSync(draft, mtimeMs / 1000, mtimeMs / 1000);
  renameSync(draft, to);
}

/**
 * Files written in the same second as their index are compared by content each time. A free slot is not
 * written to: once that second is over, its index can get the current time, and later writes are still found.
 */
export async function ageIndex(directory: string, now: number): Promise<void> {
  const { gitDir, pristineIndex } = slotPlace(directory);
  const { mtimeMs } = await stat(pristineIndex);
  const second = Math.floor(now / 1000);
  if (Math.floor(mtimeMs / 1000) >= second) return;
  await Promise.all([pristineIndex, join(gitDir, 'index')].map(file => utimes(file, second, second)));
}
