import type { Stats } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { isCarrelError } from '../../domain/error/error.js';
import type { BytePath } from '../byte-path.js';
import type { InspectionMeter } from './inspection-meter.js';
import { type DirectoryEntry, readDirectory, statEntry } from './read-directory.js';

export interface WalkRules {
  /** Paths at which the index has a submodule. */
  readonly gitlinks: ReadonlySet<BytePath>;
  /** Directories with a tracked or untracked file somewhere below. */
  readonly occupied: ReadonlySet<BytePath>;
  /** Names of directories that are only measured, unless they hold files of the work tree. */
  readonly regenerable: ReadonlySet<string>;
  /** A top-level name that is skipped like `.git`. */
  readonly apart?: string | undefined;
  /** Directories that are not entered. */
  readonly passedOver?: ReadonlySet<BytePath> | undefined;
  readonly meter?: InspectionMeter | undefined;
}

export interface FoundFile {
  readonly kind: 'file' | 'symlink';
  /** Permission bits, 0o7777. */
  readonly mode: number;
  readonly bytes: number;
  /** Which file it is, and when its content or permissions last changed: milliseconds, exact to a quarter of a microsecond. */
  readonly inode?: number | undefined;
  readonly changedAt?: number | undefined;
}

export interface FoundFiles {
  readonly files: ReadonlyMap<BytePath, FoundFile>;
  /** With permission bits; the work tree itself is ''. */
  readonly directories: ReadonlyMap<BytePath, number>;
  readonly emptyDirectories: readonly BytePath[];
  /** Directories with a `.git` that are not submodules; their contents are not listed here. */
  readonly nestedRepositories: readonly BytePath[];
  /** Paths of submodules with a `.git`; their contents are not listed here. */
  readonly populatedSubmodules: readonly BytePath[];
  readonly regenerable: readonly { readonly path: BytePath; readonly bytes: number }[];
  /** Named pipes, sockets and devices; they are never opened. */
  readonly special: readonly BytePath[];
}

/**
 * Lists everything below `start`, a directory below `root`, without following links; paths are relative to `root`. With
 * rules, the `.git` at the top and the contents of other repositories are left out; without rules only `leftOut` is.
 */
export async function walkWorkTree(
  root: string,
  rules: WalkRules | null,
  start: BytePath = '',
  leftOut?: ReadonlySet<BytePath>,
): Promise<FoundFiles> {
  const found = emptyFinds();
  const top = statEntry(root, start);
  if (!top?.isDirectory()) return found;
  const pending: BytePath[] = [start];
  found.directories.set(start, top.mode & 0o7777);
  for (let directory = pending.pop(); directory !== undefined; directory = pending.pop()) {
    for (const inner of visitDirectory(root, directory, rules, found, leftOut)) pending.push(inner);
    // Yields between directories.
    await setImmediate();
  }
  return found;
}

function emptyFinds() {
  return {
    files: new Map<BytePath, FoundFile>(),
    directories: new Map<BytePath, number>(),
    emptyDirectories: [] as BytePath[],
    nestedRepositories: [] as BytePath[],
    populatedSubmodules: [] as BytePath[],
    regenerable: [] as { path: BytePath; bytes: number }[],
    special: [] as BytePath[],
  };
}

type Finds = ReturnType<typeof emptyFinds>;

/** Records the contents of a directory and returns its subdirectories to visit. */
function visitDirectory(
  root: string,
  directory: BytePath,
  rules: WalkRules | null,
  found: Finds,
  leftOut: ReadonlySet<BytePath> | undefined,
): BytePath[] {
  if (rules?.passedOver?.has(directory)) return [];
  const all = readDirectory(root, directory).filter(({ path }) => !leftOut?.has(path));
  rules?.meter?.count(all.length);
  const isApart = (name: BytePath) => name === '.git' || (directory === '' && name === rules?.apart);
  const entries = rules ? all.filter(entry => !isApart(entry.name)) : all;
  if (rules && directory !== '') {
    if (entries.length < all.length && !noteRepository(directory, rules, found)) return [];
    if (rules.regenerable.has(baseName(directory)) && !rules.occupied.has(directory)) {
      found.regenerable.push({ path: directory, bytes: skipRegenerable(root, directory, found) });
      return [];
    }
  }
  if (all.length === 0) found.emptyDirectories.push(directory);
  return entries.flatMap(entry => noteEntry(entry, found));
}

/** Whether to enter a directory that has a `.git`: only when it holds files of this work tree too. */
function noteRepository(directory: BytePath, rules: WalkRules, found: Finds): boolean {
  if (rules.gitlinks.has(directory)) {
    found.populatedSubmodules.push(directory);
    return false;
  }
  found.nestedRepositories.push(directory);
  return rules.occupied.has(directory);
}

function noteEntry(entry: DirectoryEntry, found: Finds): BytePath[] {
  const mode = entry.stats.mode & 0o7777;
  if (entry.stats.isDirectory()) {
    found.directories.set(entry.path, mode);
    return [entry.path];
  }
  if (entry.stats.isFile()) found.files.set(entry.path, toFoundFile('file', entry.stats));
  else if (entry.stats.isSymbolicLink()) found.files.set(entry.path, toFoundFile('symlink', entry.stats));
  else found.special.push(entry.path);
  return [];
}

export const toFoundFile = (kind: FoundFile['kind'], stats: Stats): FoundFile => ({
  kind,
  mode: stats.mode & 0o7777,
  bytes: stats.size,
  inode: stats.ino,
  changedAt: stats.ctimeMs,
});

/**
 * Measures a directory that tools recreate, and records the repositories in it: no tool recreates work in those
 * (`pip install --editable` clones into `.venv/src`).
 */
function skipRegenerable(root: string, directory: BytePath, found: Finds): number {
  return addUp(root, directory, inner => {
    const isRepository = statEntry(root, `${inner}/.git`) !== undefined;
    if (isRepository) found.nestedRepositories.push(inner);
    return !isRepository;
  });
}

/** Bytes of all files in a directory, as far as they can be read: they are only reported, not captured. */
export const sumFileBytes = (root: string, directory: BytePath): number => addUp(root, directory, () => true);

function addUp(root: string, directory: BytePath, enters: (directory: BytePath) => boolean): number {
  try {
    return readDirectory(root, directory)
      .map(({ path, stats }) => {
        if (!stats.isDirectory()) return stats.size;
        return enters(path) ? addUp(root, path, enters) : 0;
      })
      .reduce((sum, bytes) => sum + bytes, 0);
  } catch (error) {
    if (isCarrelError(error, 'FILE_UNREADABLE')) return 0;
    throw error;
  }
}

const baseName = (path: BytePath): string => path.slice(path.lastIndexOf('/') + 1);
