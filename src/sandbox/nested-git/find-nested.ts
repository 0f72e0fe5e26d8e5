import {
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
} from 'node:fs';
import { isAbsolute, join, resolve, sep } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { type BytePath, displayPath, toFsPath } from '../../git/byte-path.js';
import { foldName } from '../incoming/content/path-rules.js';
import { findHeads } from './bare-look-alike.js';
import { findLinksInto } from './find-links-into.js';

/** The only entry of a covered one. */
export const COVERED = 'covered-by-carrel';
/** Suffix of an entry that is being covered or uncovered, followed by a random word unknown inside. */
export const HALFWAY = '.carrel-';

export interface NestedGit {
  /**
   * Entries that turn a directory into a repository: `.git`; `HEAD` of a bare one; a link to an agent's files outside the
   * workspace, such as its private git directory.
   */
  readonly open: readonly BytePath[];
  readonly covered: readonly BytePath[];
  /** Leftovers of a crash: entries with another name that hold the real one. */
  readonly halfway: readonly BytePath[];
  /** False when there were too many files to check all of them. */
  readonly isComplete: boolean;
}

export interface FindRequest {
  readonly root: string;
  /** Whether the `.git` at the top counts: where there is no worktree whose `.git` the sandbox can't write. */
  readonly includesTop: boolean;
  /** Git directories of the repository itself, which nothing inside can write: what leads there is harmless. */
  readonly trusted: readonly string[];
  /** What agents write outside of their workspaces. */
  readonly agentsPlace: string;
  /** Whether a bare repository in this directory is the user's own, as the base of the workspace has it. */
  readonly isOwnBare: (directory: BytePath) => Promise<boolean>;
  /** Repositories of the user, which nothing inside can write: not searched. */
  readonly own?: ReadonlySet<BytePath> | undefined;
}

/** Maximum number of names to read; a large monorepo with its dependencies has a tenth of that. */
const MOST_NAMES = 5_000_000;
const LONGEST_MS = 60_000;
/** Directories between yields. */
const DIRECTORIES_PER_TURN = 64;

/**
 * Finds everything below a directory written by the agent that leads git to the agent's configuration. Only names and links
 * are read, and no link is followed; if a directory is replaced by a link in the meantime, the worst result is a name that
 * does not exist.
 */
export async function findNestedGit(request: FindRequest): Promise<NestedGit> {
  const found: Found = { open: [], covered: [], halfway: [], links: [], pending: [''] };
  const deadline = performance.now() + LONGEST_MS;
  let names = 0;
  let directories = 0;
  for (let directory = found.pending.pop(); directory !== undefined; directory = found.pending.pop()) {
    const entries = listEntries(request.root, directory);
    names += entries.length;
    if (names > MOST_NAMES || performance.now() > deadline) return { ...found, isComplete: false };
    if (coversFile(entries) && directory !== '') found.covered.push(directory);
    else sortEntries(request, directory, entries, found);
    const heads = findHeads(entries);
    if (heads.length > 0 && !(await request.isOwnBare(directory)))
      found.open.push(...heads.map(name => below(directory, name)));
    directories += 1;
    if (directories % DIRECTORIES_PER_TURN === 0) await setImmediate();
  }
  const led = await findLinksInto(request.root, found.links, request.agentsPlace, deadline);
  const open = [...new Set([...found.open, ...led.paths])];
  return { open, covered: found.covered, halfway: found.halfway, isComplete: led.isComplete };
}

interface Found {
  readonly open: BytePath[];
  readonly covered: BytePath[];
  readonly halfway: BytePath[];
  /** All symbolic links. */
  readonly links: BytePath[];
  /** Directories that have not been scanned yet. */
  readonly pending: BytePath[];
}

const below = (directory: BytePath, name: BytePath): BytePath =>
  directory === '' ? name : `${directory}/${name}`;

function sortEntries(
  request: FindRequest,
  directory: BytePath,
  entries: readonly Dirent[],
  { open, covered, halfway, links, pending }: Found,
): void {
  for (const entry of entries) {
    const path = below(directory, entry.name);
    if (request.own?.has(path)) continue;
    if (isGitName(entry.name)) {
      if (directory === '' && !request.includesTop) continue;
      if (isCovered(request.root, path)) covered.push(path);
      else if (!leadsToTrusted(request, path)) open.push(path);
    } else if (entry.isSymbolicLink()) links.push(path);
    else if (!entry.isDirectory()) continue;
    else if (isHalfway(entry.name) && isCovered(request.root, path)) halfway.push(path);
    else pending.push(path);
  }
}

/** What can't be read is not readable for the user's git either. */
function listEntries(root: string, directory: BytePath) {
  try {
    return readdirSync(toFsPath(root, directory), { withFileTypes: true, encoding: 'latin1' });
  } catch {
    return [];
  }
}

/** Whether some file system treats it as `.git`; fast for names with another beginning. */
function isGitName(name: BytePath): boolean {
  const first = name.charCodeAt(0);
  return name === '.git' || ((first === 0x2e || first >= 0x80) && foldName(name) === '.git');
}

const isHalfway = (name: BytePath): boolean => name.includes(HALFWAY);

/** Whether an entry is a directory that holds what we put there, and nothing else. */
function isCovered(root: string, path: BytePath): boolean {
  const info = lstatSync(toFsPath(root, path), { throwIfNoEntry: false });
  if (!info?.isDirectory()) return false;
  const names = listEntries(root, path);
  return names.length === 1 && names[0]?.name === COVERED;
}

/**
 * Whether a directory with these entries is the cover of a file or a link. One that holds a directory is not: its contents
 * have to be checked.
 */
const coversFile = (entries: readonly Dirent[]): boolean =>
  entries.length === 1 && entries[0]?.name === COVERED && !entries[0].isDirectory();

/**
 * Whether it is a file that leads to a git directory of the repository, like that of a submodule filled outside. A path through
 * the workspace could be redirected, so it must be absolute, or go up out of the workspace first.
 */
function leadsToTrusted({ root, trusted }: FindRequest, path: BytePath): boolean {
  const target = /^gitdir: ([^\0\n]+)\n?$/.exec(readShort(toFsPath(root, path)) ?? '')?.[1];
  if (target === undefined) return false;
  const [, up = '', down = ''] = /^((?:\.\.\/)*)(.*)$/s.exec(target) ?? [];
  if (down.split('/').includes('..')) return false;
  const from = resolve(root, displayPath(path), '..', up);
  const isOutside = isAbsolute(target) || (root !== from && root.startsWith(withSlash(from)));
  const place = isAbsolute(target) ? resolve(target) : join(from, down);
  return isOutside && trusted.some(directory => place.startsWith(withSlash(directory)));
}

const withSlash = (path: string): string => (path.endsWith(sep) ? path : `${path}${sep}`);

/** Longer than any path. */
const LONGEST_POINTER = 8192;

function readShort(path: Buffer): string | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return undefined;
  }
  try {
    const info = fstatSync(descriptor);
    if (!info.isFile() || info.size > LONGEST_POINTER) return undefined;
    const buffer = Buffer.alloc(LONGEST_POINTER);
    return buffer.toString('utf8', 0, readSync(descriptor, buffer, 0, LONGEST_POINTER, 0));
  } finally {
    closeSync(descriptor);
  }
}
