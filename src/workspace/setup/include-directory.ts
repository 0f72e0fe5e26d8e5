import { chmodSync, lstatSync, lutimesSync, mkdirSync } from 'node:fs';
import { errnoOf, isCarrelError } from '../../domain/error/error.js';
import { type BytePath, displayPath, toFsPath } from '../../git/byte-path.js';
import { type DirectoryEntry, readDirectory } from '../../git/files/read-directory.js';
import { copyEntrySync } from '../files/copy-entry.js';
import { throwIfFull } from '../files/reflink.js';
import { createTimeSlice } from '../files/time-slice.js';

export interface DirectoryInclusion {
  /** The user's checkout; it is only read. */
  readonly repositoryRoot: string;
  /** The workspace. */
  readonly destination: string;
}

export interface IncludedTree {
  /** Files and links that were copied. */
  readonly files: readonly BytePath[];
  readonly problems: readonly { readonly path: BytePath; readonly problem: string }[];
}

/**
 * Copies an ignored directory with its contents, sharing blocks where the file system supports it. Modes and times are
 * kept, because build tools compare them. Existing files stay, links stay links, and pipes, sockets and nested repositories
 * are left out. The caller has checked the parent directories on both sides. Synchronous, in slices (see time-slice.ts).
 */
export async function includeDirectory(inclusion: DirectoryInclusion, top: BytePath): Promise<IncludedTree> {
  const tree = { files: [] as BytePath[], problems: [] as { path: BytePath; problem: string }[] };
  const slice = createTimeSlice();
  const made: { readonly path: BytePath; readonly mode: number }[] = [];
  const pending = [top];
  for (let directory = pending.pop(); directory !== undefined; directory = pending.pop()) {
    const visited = enter(inclusion, directory);
    if ('problem' in visited) tree.problems.push({ path: `${directory}/`, problem: visited.problem });
    else {
      made.push({ path: directory, mode: visited.mode });
      for (const entry of visited.entries) {
        if (slice.isOver()) await slice.breathe();
        if (entry.stats.isDirectory()) pending.push(entry.path);
        else copy(inclusion, entry, tree);
      }
    }
  }
  // Last, because they may be read-only.
  for (const { path, mode } of made) chmodSync(toFsPath(inclusion.destination, path), mode);
  return tree;
}

type Visited =
  | { readonly entries: readonly DirectoryEntry[]; readonly mode: number }
  | { readonly problem: string };

function enter({ repositoryRoot, destination }: DirectoryInclusion, directory: BytePath): Visited {
  const info = lstatSync(toFsPath(repositoryRoot, directory), { throwIfNoEntry: false });
  if (!info?.isDirectory()) return { problem: 'it was deleted during the copy' };
  const entries = readUnlessRefused(repositoryRoot, directory);
  if (!entries) return { problem: 'permission denied' };
  if (entries.some(({ name }) => name === '.git')) return { problem: 'it is a separate repository' };
  if (!makeDirectoryIfMissing(toFsPath(destination, directory)))
    return { problem: `${displayPath(directory)} is not a directory in the workspace` };
  return { entries, mode: info.mode & 0o7777 };
}

function readUnlessRefused(root: string, directory: BytePath): DirectoryEntry[] | undefined {
  try {
    return readDirectory(root, directory);
  } catch (error) {
    if (isCarrelError(error, 'FILE_UNREADABLE')) return undefined;
    throw error;
  }
}

function makeDirectoryIfMissing(path: Buffer): boolean {
  try {
    mkdirSync(path, { mode: 0o700 });
    return true;
  } catch (error) {
    throwIfFull(error, path);
    if (errnoOf(error) !== 'EEXIST') throw error;
    return lstatSync(path).isDirectory();
  }
}

function copy(
  { repositoryRoot, destination }: DirectoryInclusion,
  { path, stats }: DirectoryEntry,
  tree: { readonly files: BytePath[]; readonly problems: { path: BytePath; problem: string }[] },
): void {
  // git does not list them either.
  if (!stats.isFile() && !stats.isSymbolicLink()) return;
  const target = toFsPath(destination, path);
  const outcome = copyEntrySync(toFsPath(repositoryRoot, path), stats, target);
  if (!outcome.copied) {
    tree.problems.push({ path, problem: outcome.reason });
    return;
  }
  lutimesSync(target, stats.atimeMs / 1000, stats.mtimeMs / 1000);
  tree.files.push(path);
}
