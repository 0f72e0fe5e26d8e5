import { type Dirent, lstatSync, readdirSync } from 'node:fs';
import { errnoOf } from '../domain/error.js';
import { type BytePath, toFsPath } from '../git/byte-path.js';
import { isRacy, matchesStat } from '../git/index-stat.js';
import { loadTrackedFiles, type TrackedFiles } from '../pool/tracked-files.js';
import { createTimeSlice } from '../workspace/time-slice.js';

/**
 * Whether a work tree has the files of an index of ours, all of them and no others, and nobody has touched one since. By
 * names and by the times that only the kernel sets; no process is started and no file is read. False says that somebody
 * has to look closer: files may be touched and the same, or too young to be told by their times.
 */
export async function isUntouched(workTree: string, indexFile: string, idBytes: number): Promise<boolean> {
  const tracked = loadTrackedFiles(indexFile, idBytes);
  if ('unusable' in tracked || tracked.submodules.length > 0) return false;
  try {
    return (await hasOnlyTracked(workTree, tracked)) && (await areAsTheyWere(workTree, tracked));
  } catch (error) {
    // Gone, not a directory, not ours to look into.
    if (errnoOf(error) === undefined) throw error;
    return false;
  }
}

/** After this every directory on the way to a tracked file is one, and no link. */
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
    const info = lstatSync(toFsPath(workTree, path), { bigint: true, throwIfNoEntry: false });
    if (!info || !matchesStat(index, entry, info)) return false;
    if (slice.isOver()) await slice.breathe();
  }
  return true;
}
