import { setImmediate } from 'node:timers/promises';
import { isCarrelError } from '../../domain/error.js';
import type { BytePath } from '../byte-path.js';
import { type DirectoryEntry, readDirectory, statEntry } from './read-directory.js';

export interface WalkRules {
  /** Paths at which the index has a submodule. */
  readonly gitlinks: ReadonlySet<BytePath>;
  /** Directories with a tracked or untracked file somewhere below. */
  readonly occupied: ReadonlySet<BytePath>;
  /** Names of directories that are only measured, unless they are occupied. */
  readonly regenerable: ReadonlySet<string>;
  /** A name at the top that is left out like `.git`. */
  readonly apart?: string | undefined;
  /** Directories that are not looked into. */
  readonly passedOver?: ReadonlySet<BytePath> | undefined;
}

export interface FoundFile {
  readonly kind: 'file' | 'symlink';
  /** Permission bits, 0o7777. */
  readonly mode: number;
  readonly bytes: number;
}

export interface FoundFiles {
  readonly files: ReadonlyMap<BytePath, FoundFile>;
  /** With permission bits; the work tree itself is ''. */
  readonly directories: ReadonlyMap<BytePath, number>;
  readonly emptyDirectories: readonly BytePath[];
  /** Directories with a `.git` of their own that are not submodules; what is in them is not listed here. */
  readonly nestedRepositories: readonly BytePath[];
  /** Paths of submodules with a `.git`; what is in them is not listed here. */
  readonly populatedSubmodules: readonly BytePath[];
  readonly regenerable: readonly { readonly path: BytePath; readonly bytes: number }[];
  /** Named pipes, sockets and devices; they are never opened. */
  readonly special: readonly BytePath[];
}

/**
 * Lists all that lies below `start`, a directory below `root`, following nothing; paths are relative to `root`. With
 * rules the `.git` at the top is left out, and so is what belongs to other repositories; without rules nothing is.
 */
export async function walkWorkTree(
  root: string,
  rules: WalkRules | null,
  start: BytePath = '',
): Promise<FoundFiles> {
  const found = emptyFinds();
  const top = statEntry(root, start);
  if (!top?.isDirectory()) return found;
  const pending: BytePath[] = [start];
  found.directories.set(start, top.mode & 0o7777);
  for (let directory = pending.pop(); directory !== undefined; directory = pending.pop()) {
    for (const inner of visitDirectory(root, directory, rules, found)) pending.push(inner);
    // Gives others a turn between directories.
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

/** Notes what is in a directory and gives the directories in it that are to be visited. */
function visitDirectory(
  root: string,
  directory: BytePath,
  rules: WalkRules | null,
  found: Finds,
): BytePath[] {
  if (rules?.passedOver?.has(directory)) return [];
  const all = readDirectory(root, directory);
  const isApart = (name: BytePath) => name === '.git' || (directory === '' && name === rules?.apart);
  const entries = rules ? all.filter(entry => !isApart(entry.name)) : all;
  if (rules && directory !== '') {
    if (entries.length < all.length && !noteRepository(directory, rules, found)) return [];
    if (rules.regenerable.has(baseName(directory)) && !rules.occupied.has(directory)) {
      found.regenerable.push({ path: directory, bytes: passOver(root, directory, found) });
      return [];
    }
  }
  if (all.length === 0) found.emptyDirectories.push(directory);
  return entries.flatMap(entry => noteEntry(entry, found));
}

/** Whether to go on into a directory that has a `.git`: only when it holds files of this work tree too. */
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
  if (entry.stats.isFile()) found.files.set(entry.path, { kind: 'file', mode, bytes: entry.stats.size });
  else if (entry.stats.isSymbolicLink())
    found.files.set(entry.path, { kind: 'symlink', mode, bytes: entry.stats.size });
  else found.special.push(entry.path);
  return [];
}

/**
 * Measures a directory that tools make again, and notes the repositories in it: what somebody does in those
 * (`pip install --editable` clones into `.venv/src`) no tool makes again.
 */
function passOver(root: string, directory: BytePath, found: Finds): number {
  return addUp(root, directory, inner => {
    const isRepository = statEntry(root, `${inner}/.git`) !== undefined;
    if (isRepository) found.nestedRepositories.push(inner);
    return !isRepository;
  });
}

/** Bytes of all files in a directory, as far as they can be seen: it is only told, not held. */
export const measureDirectory = (root: string, directory: BytePath): number =>
  addUp(root, directory, () => true);

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
