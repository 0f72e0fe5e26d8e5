import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  type Stats,
} from 'node:fs';
import { carrelError, errnoOf, isCarrelError } from '../../domain/error/error.js';
import { hasProc } from '../../exec/process/has-proc.js';
import { type BytePath, displayPath, toBytePath, toFsPath } from '../byte-path.js';
import type { Omitted } from './ignored-files.js';
import type { InspectionMeter } from './inspection-meter.js';
import { MOST_FILE_BYTES } from './most-file-bytes.js';
import { type DirectoryEntry, readDirectory } from './read-directory.js';

export interface Opened {
  /** The original permission bits of files and directories that were opened up. */
  readonly modes: ReadonlyMap<BytePath, number>;
  /** What a snapshot still can't hold, with the reason: another user's, too deep, or too large. */
  readonly leftOut: ReadonlyMap<BytePath, Omitted>;
}

/** The right that it takes to read a directory and what is in it, or a file. */
const OWNER_READS = { directory: 0o500, file: 0o400 } as const;

/**
 * A system call accepts a path of up to 4095 bytes, and a snapshot works with copies whose path may be this much longer.
 * Directories can be deeper than that when they are created level by level.
 */
const MOST_PATH_BYTES = 4095 - 512;

/**
 * Lets the owner of a tree read all of their files and directories that lack permission, and finds what still can't be
 * captured. For files that are about to be deleted, or that belong to Carrel.
 */
export function openUnreadable(root: string): Opened {
  const modes = new Map<BytePath, number>();
  const leftOut = new Map<BytePath, Omitted>();
  const omit = (path: BytePath, bytes: number, reason: string) =>
    leftOut.set(path, { path: displayPath(path), bytes, reason });
  const pending: BytePath[] = [''];
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    noteMode(modes, path, openToOwner(root, path, 'directory'));
    const entries = listOrProblem(root, path);
    if (typeof entries === 'string') {
      omit(path, 0, `it can't be read (${entries})`);
      continue;
    }
    for (const entry of entries) {
      if (entry.stats.isDirectory()) pending.push(entry.path);
      if (!entry.stats.isFile()) continue;
      if (entry.stats.size > MOST_FILE_BYTES)
        omit(entry.path, entry.stats.size, 'it is too large for a snapshot');
      else if (isClosed(entry.stats)) noteMode(modes, entry.path, openToOwner(root, entry.path, 'file'));
      const problem = findProblem(root, entry);
      if (problem !== undefined) omit(entry.path, entry.stats.size, `it can't be read (${problem})`);
    }
  }
  return { modes, leftOut };
}

/** Files and directories that can't be read as they are; a directory includes everything in it. */
export function findUnreadable(root: string, meter?: InspectionMeter): ReadonlySet<BytePath> {
  const found = new Set<BytePath>();
  const pending: BytePath[] = [''];
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    const entries = listOrProblem(root, path);
    if (typeof entries === 'string') {
      found.add(path);
      continue;
    }
    meter?.count(entries.length);
    for (const entry of entries) {
      if (entry.stats.isDirectory()) pending.push(entry.path);
      else if (entry.stats.isFile() && findProblem(root, entry) !== undefined) found.add(entry.path);
    }
  }
  return found;
}

/** Gives the owner access to a directory without changing its contents. */
export function openDirectory(root: string): Pick<Opened, 'modes'> {
  const modes = new Map<BytePath, number>();
  noteMode(modes, '', openToOwner(root, '', 'directory'));
  return { modes };
}

/** Restores the original permission bits. */
export function closeOpened(root: string, { modes }: Pick<Opened, 'modes'>): void {
  // Deepest first: they can't be reached once their parents are closed again.
  for (const [path, mode] of [...modes].reverse()) change(root, path, () => mode);
}

function noteMode(modes: Map<BytePath, number>, path: BytePath, mode: number | undefined): void {
  if (mode !== undefined) modes.set(path, mode);
}

function listOrProblem(root: string, path: BytePath): DirectoryEntry[] | string {
  try {
    if (toBytePath(root).length + path.length > MOST_PATH_BYTES)
      throw carrelError('FILE_UNREADABLE', { path: displayPath(path), problem: 'ENAMETOOLONG' });
    return readDirectory(root, path);
  } catch (error) {
    if (!isCarrelError(error, 'FILE_UNREADABLE')) throw error;
    return String(error.details.problem);
  }
}

const isRoot = (): boolean => process.getuid?.() === 0;

const isOwn = ({ uid }: Stats): boolean => uid === process.getuid?.();

const isClosed = ({ mode }: Stats): boolean => !isRoot() && (mode & OWNER_READS.file) === 0;

/** Only for files that may be unreadable: it is another system call for each. */
function findProblem(root: string, { path, stats }: DirectoryEntry): string | undefined {
  if (isRoot() || (isOwn(stats) && !isClosed(stats))) return undefined;
  try {
    accessSync(toFsPath(root, path), constants.R_OK);
    return undefined;
  } catch (error) {
    return errnoOf(error) === 'ENOENT' ? undefined : (errnoOf(error) ?? String(error));
  }
}

/** Returns the former mode, or undefined when nothing had to change. */
function openToOwner(root: string, path: BytePath, kind: keyof typeof OWNER_READS): number | undefined {
  if (isRoot()) return undefined;
  const bits = OWNER_READS[kind];
  return change(root, path, stats =>
    (stats.mode & bits) === bits || !isOwn(stats) ? undefined : (stats.mode & 0o7777) | bits,
  );
}

/** Returns the former mode if `choose` gives another. Missing files and links are left alone. */
function change(
  root: string,
  path: BytePath,
  choose: (stats: Stats) => number | undefined,
): number | undefined {
  const place = path === '' ? root : toFsPath(root, path);
  try {
    return hasProc() ? changePinned(place, choose) : changeNamed(place, choose);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG', 'EACCES'].includes(errnoOf(error) ?? ''))
      return undefined;
    throw error;
  }
}

/** Not in Node's constants: a descriptor that needs no read permission. Linux has the same value on every processor. */
const O_PATH = 0o10000000;

/** Through a descriptor, because chmod would follow a link put there in the meantime. */
function changePinned(
  place: string | Buffer,
  choose: (stats: Stats) => number | undefined,
): number | undefined {
  const descriptor = openSync(place, O_PATH | constants.O_NOFOLLOW);
  try {
    const stats = fstatSync(descriptor);
    const mode = stats.isSymbolicLink() ? undefined : choose(stats);
    if (mode !== undefined) chmodSync(`/proc/self/fd/${descriptor}`, mode);
    return mode === undefined ? undefined : stats.mode & 0o7777;
  } finally {
    closeSync(descriptor);
  }
}

/** Fallback. The files were moved away from their path before. */
function changeNamed(
  place: string | Buffer,
  choose: (stats: Stats) => number | undefined,
): number | undefined {
  const stats = lstatSync(place);
  const mode = stats.isSymbolicLink() ? undefined : choose(stats);
  if (mode !== undefined) chmodSync(place, mode);
  return mode === undefined ? undefined : stats.mode & 0o7777;
}
