import { constants, type PathLike } from 'node:fs';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { carrelError, errnoOf } from '../../domain/error/error.js';

/** Clones by sharing blocks, or fails; never overwrites. */
export const CLONE_ONLY = constants.COPYFILE_FICLONE_FORCE | constants.COPYFILE_EXCL;

/**
 * Whether `file` can be cloned into `directory`, tested by cloning it: device numbers do not help, because those of btrfs
 * subvolumes differ. The test is a handful of calls, so the answer is not cached.
 */
export async function canClone(file: string, directory: string): Promise<boolean> {
  const scratch = await mkdtemp(join(directory, '.carrel-clone-'));
  try {
    await copyFile(file, join(scratch, 'clone'), CLONE_ONLY);
    return true;
  } catch (error) {
    throwIfFull(error, directory);
    if (errnoOf(error) === undefined) throw error;
    return false;
  } finally {
    await rm(scratch, { recursive: true });
  }
}

/** Whether the error means that no file can be cloned between the two directories: ext4, tmpfs, another file system. */
export const lacksReflinks = (error: unknown): boolean =>
  ['ENOTSUP', 'EOPNOTSUPP', 'EXDEV', 'ENOTTY', 'ENOSYS'].includes(errnoOf(error) ?? '');

/** DISK_FULL when that is what the error says. */
export function throwIfFull(error: unknown, path: PathLike): void {
  if (['ENOSPC', 'EDQUOT'].includes(errnoOf(error) ?? ''))
    throw carrelError('DISK_FULL', { path: String(path) }, error);
}
