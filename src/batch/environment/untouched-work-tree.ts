import { type Dirent, lstatSync, readdirSync } from 'node:fs';
import { errnoOf } from '../../domain/error/error.js';
import { type BytePath, toFsPath } from '../../git/byte-path.js';
import { statExactly } from '../../git/files/read-directory.js';
import { isRacy, matchesStat } from '../../git/index/index-stat.js';
import { loadTrackedFiles, type TrackedFiles } from '../../pool/checkout/pristine-files.js';
import { createTimeSlice } from '../../workspace/files/time-slice.js';

/**
 * Whether a work tree has exactly the files of our index, all untouched since. Checks
 * names and times that only the kernel sets; starts no process and reads no file. False means that a closer
 * check is needed: files may be touched but the same, or too new to decide by their times.
 */
export async function isUntouched(workTree: string, indexFile: string, idBytes: number): Promise<boolean> {
  const tracked = loadTrackedFiles(indexFile, idBytes);
  if ('unusable' in tracked || tracked.submodules.length > 0) return false;
  try {
    return (await hasOnlyTracked(workTree, tracked)) && (await areAsTheyWere(workTree, tracked));
  } catch (error) {
    // Gone, not a directory, or not readable.
    if (errnoOf(error) === undefined) throw error;
    return false;
  }
}

/** After this, every parent of a tracked file is a real directory, not a link. */
async function hasOnlyTracked(workTree: string, { directories }: TrackedFiles): Promise<boolean> {
  const slice = createTimeSlice();
  if (!lstatSync(workTree).isDirectory()) return false;
  const pending: BytePath[] = [''];
  for (let directory = pending.pop(); directory !== undefined; directory = pending.pop()) {
    const names = directories.get(directory);
    for (const entry of listDirectory(workTree, directory)) {
      const path = directory === '' ? entry.name : `${directory}/${entry.name}`;
      const expected = names?.get(entry.name);
      if (expected === 'directory' && entry.isDirectory()) pending.push(path);
      else if (expected !== 'file' && path !== '.git') return false;
    }
    if (slice.isOver()) await slice.breathe();
  }
  return true;
}

const listDirectory = (workTree: string, directory: BytePath): Dirent<string>[] =>
  readdirSync(directory === '' ? workTree : toFsPath(workTree, directory), {
    withFileTypes: true,
    encoding: 'latin1',
  });

async function areAsTheyWere(workTree: string, { index }: TrackedFiles): Promise<boolean> {
  const slice = createTimeSlice();
  for (const [entry, path] of index.paths.entries()) {
    if (isRacy(index, entry)) return false;
    const info = statExactly(workTree, path);
    if (!info || !matchesStat(index, entry, info)) return false;
    if (slice.isOver()) await slice.breathe();
  }
  return true;
}
