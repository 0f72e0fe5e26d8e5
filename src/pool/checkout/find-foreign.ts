import { chmodSync, type Dirent, lstatSync, readdirSync } from 'node:fs';
import { type BytePath, toFsPath } from '../../git/byte-path.js';
import { createTimeSlice } from '../../workspace/files/time-slice.js';
import type { TrackedFiles, TrackedKind } from './pristine-files.js';

export interface ForeignRules {
  /** The permissions of every directory that git made. */
  readonly directoryMode: number;
  /** Directories that may stay where nothing is tracked. */
  readonly keep: ReadonlySet<BytePath>;
}

export interface ForeignFiles {
  /** Untracked entries, the topmost of each: files, links, pipes, whole directories, repositories. */
  readonly paths: readonly BytePath[];
  readonly caches: readonly BytePath[];
  /** Directories whose permissions had been changed; they have been restored. */
  readonly reopened: number;
}

/**
 * Everything in a work tree that is not tracked. Walks the tree itself because git does not see everything: it ignores pipes and
 * sockets, passes over every `.git` (one in a tracked directory would be the next lease's repository), and `clean` asks
 * the ignore rules. No link is followed. Only the names of tracked files are checked.
 */
export async function findForeign(
  workTree: string,
  tracked: TrackedFiles,
  rules: ForeignRules,
): Promise<ForeignFiles> {
  const found = { paths: [] as BytePath[], caches: [] as BytePath[], reopened: 0 };
  const pending: BytePath[] = [''];
  const slice = createTimeSlice();
  for (let directory = pending.pop(); directory !== undefined; directory = pending.pop()) {
    if (reopen(workTree, directory, rules.directoryMode)) found.reopened++;
    const names = tracked.directories.get(directory) as ReadonlyMap<string, TrackedKind>;
    for (const entry of listDirectory(workTree, directory)) {
      const path = directory === '' ? entry.name : `${directory}/${entry.name}`;
      const place = judge(entry, path, names.get(entry.name), workTree, rules);
      if (place === 'enter') pending.push(path);
      else if (place === 'foreign') found.paths.push(path);
      else if (place === 'cache') found.caches.push(path);
    }
    if (slice.isOver()) await slice.breathe();
  }
  return found;
}

/** A directory that may not be read or written would hide what is in it; one that all may write is a trace too. */
function reopen(workTree: string, directory: BytePath, mode: number): boolean {
  const place = placeOf(workTree, directory);
  if ((lstatSync(place).mode & 0o7777) === mode) return false;
  chmodSync(place, mode);
  return true;
}

const listDirectory = (workTree: string, directory: BytePath): Dirent<string>[] =>
  readdirSync(placeOf(workTree, directory), { withFileTypes: true, encoding: 'latin1' });

/** git compares tracked files, also one that has become a directory or a link; here only untracked names are checked. */
function judge(
  entry: Dirent<string>,
  path: BytePath,
  expected: TrackedKind | undefined,
  workTree: string,
  rules: ForeignRules,
): 'enter' | 'foreign' | 'cache' | 'known' {
  if (path === '.git' || expected === 'file') return 'known';
  const isDirectory = entry.isDirectory();
  if (expected === 'directory') return isDirectory ? 'enter' : 'foreign';
  // The directory of a submodule that is not checked out is there and empty.
  if (expected === 'submodule')
    return isDirectory && listDirectory(workTree, path).length === 0 ? 'known' : 'foreign';
  return isDirectory && rules.keep.has(path) ? 'cache' : 'foreign';
}

/** `workTree/` would follow a link at the top. */
const placeOf = (workTree: string, path: BytePath) => (path === '' ? workTree : toFsPath(workTree, path));
