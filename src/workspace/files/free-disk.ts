import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isMissing } from '../../domain/error/error.js';

/** Bytes that an ordinary user may still write on the file system where `path` is, or would be. */
export async function freeBytes(path: string): Promise<number> {
  try {
    const { bavail, bsize } = await statfs(path);
    return bavail * bsize;
  } catch (error) {
    if (!isMissing(error) || dirname(path) === path) throw error;
    return freeBytes(dirname(path));
  }
}
