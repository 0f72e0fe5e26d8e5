import { type Dirent, lstatSync, readdirSync } from 'node:fs';
import { errnoOf } from '../../domain/error/error.js';
import { type BytePath, toFsPath } from '../byte-path.js';

export interface FileCount {
  readonly files: number;
  /** The permissions of all directories below the top; undefined when there are none. */
  readonly directoryMode: number | undefined;
}

/**
 * How many files and symbolic links are in a work tree, without its `.git`. Undefined when anything needs a full check: an
 * empty directory, one with other permissions than its siblings, a nested repository, a named pipe, something unreadable. The
 * top may have different permissions: ours is closed to other users. Only directories are read: an eighth of the time of a
 * walk that visits files.
 */
export function countFiles(root: string): FileCount | undefined {
  try {
    return count(root);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM'].includes(errnoOf(error) ?? '')) return undefined;
    throw error;
  }
}

function count(root: string): FileCount | undefined {
  let usual: number | undefined;
  const pending: BytePath[] = [''];
  let files = 0;
  for (let directory = pending.pop(); directory !== undefined; directory = pending.pop()) {
    const place = directory === '' ? root : toFsPath(root, directory);
    if (directory !== '') {
      const { mode } = lstatSync(place);
      usual ??= mode;
      if (mode !== usual) return undefined;
    }
    const entries = readdirSync(place, { withFileTypes: true, encoding: 'latin1' });
    const own = directory === '' ? entries.filter(entry => entry.name !== '.git') : entries;
    if (own.some(isOdd) || (own.length === 0 && directory !== '')) return undefined;
    for (const entry of own) {
      if (entry.isDirectory()) pending.push(directory === '' ? entry.name : `${directory}/${entry.name}`);
      else files++;
    }
  }
  return { files, directoryMode: usual === undefined ? undefined : usual & 0o7777 };
}

const isOdd = (entry: Dirent): boolean =>
  entry.name === '.git' || !(entry.isDirectory() || entry.isFile() || entry.isSymbolicLink());
