import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { carrelError, errnoOf } from '../domain/error.js';

/**
 * Makes a directory that did not exist; PATH_EXISTS when it does. The parent may be removed as empty by another process
 * between the two calls: once more then.
 */
export async function makeOwnDirectory(path: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    await mkdir(dirname(path), { recursive: true });
    try {
      return await mkdir(path);
    } catch (error) {
      if (errnoOf(error) === 'EEXIST') throw carrelError('PATH_EXISTS', { path }, error);
      if (errnoOf(error) !== 'ENOENT' || attempt === 10) throw error;
    }
  }
}
