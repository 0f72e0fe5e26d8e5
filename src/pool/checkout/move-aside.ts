import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  type Stats,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { errnoOf } from '../../domain/error/error.js';
import { type BytePath, toBytePath, toBytes } from '../../git/byte-path.js';
import { placeForSecondCopy } from './free-aside-path.js';

/**
 * Moves files of a work tree into `aside/tree`, each to its own path, and lists those that are gone in `aside/removed`.
 * An interrupted move continues: nothing in `aside` is ever replaced, and what is in the tree again gets another path.
 * Foreign ones go first: a link in the place of a directory is among them, and after that no path leads through one.
 */
export function moveAside(workTree: string, aside: string, { foreign, touched, restored }: MovedFiles): void {
  const [from, to] = [toBytePath(workTree), toBytePath(join(aside, 'tree'))];
  const known = loadRemoved(aside);
  const isMoved = createPresenceTest(to);
  const move = createMove(from, to);
  const moveAgain = createMove(from, toBytePath(placeForSecondCopy(aside)));
  for (const path of foreign) (isMoved(path) ? moveAgain : move)(path);
  const removed = touched.filter(path => {
    const isSettled = known.has(path) || isMoved(path);
    if (!isSettled) return !move(path);
    // In the tree again: written by the interrupted restore, or by the holder after that.
    if (!restored.has(path)) moveAgain(path);
    return false;
  });
  if (removed.length > 0) writeRemoved(aside, [...known, ...removed]);
}

export interface MovedFiles {
  readonly foreign: readonly BytePath[];
  readonly touched: readonly BytePath[];
  /** Of the touched ones, those that are as the commit has them; they may stay when they were moved before. */
  readonly restored: ReadonlySet<BytePath>;
}

/** False when there is nothing to move. */
function createMove(from: BytePath, to: BytePath): (path: BytePath) => boolean {
  const made = new Set<BytePath>();
  return path => {
    if (!statIfThere(`${from}/${path}`)) return false;
    const parent = parentOf(`${to}/${path}`);
    if (!made.has(parent)) mkdirSync(toBytes(parent), { recursive: true });
    made.add(parent);
    rename(toBytes(`${from}/${path}`), toBytes(`${to}/${path}`));
    return true;
  };
}

/** A directory that moves to another one has its `..` changed, and for that it must be writable itself. */
function rename(from: Buffer, to: Buffer): void {
  try {
    renameSync(from, to);
  } catch (error) {
    const info = lstatSync(from);
    const isClosed = info.isDirectory() && (info.mode & OWNER_MAY_WRITE) === 0;
    if (errnoOf(error) !== 'EACCES' || !isClosed) throw error;
    chmodSync(from, info.mode | OWNER_MAY_WRITE);
    renameSync(from, to);
    chmodSync(to, info.mode);
  }
}

const OWNER_MAY_WRITE = 0o200;

/** Whether something is at a path below `root`, through directories and no link. */
function createPresenceTest(root: BytePath): (path: BytePath) => boolean {
  const directories = new Set<BytePath>([root]);
  const isDirectory = (path: BytePath): boolean => {
    if (directories.has(path)) return true;
    const isReal = isDirectory(parentOf(path)) && statIfThere(path)?.isDirectory() === true;
    if (isReal) directories.add(path);
    return isReal;
  };
  return path => isDirectory(parentOf(`${root}/${path}`)) && statIfThere(`${root}/${path}`) !== undefined;
}

const parentOf = (path: BytePath): BytePath => path.slice(0, path.lastIndexOf('/'));

function statIfThere(path: BytePath): Stats | undefined {
  try {
    return lstatSync(toBytes(path), { throwIfNoEntry: false });
  } catch (error) {
    if (errnoOf(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}

/** Those of the files that were found deleted. */
export function loadRemoved(aside: string): ReadonlySet<BytePath> {
  try {
    return new Set(readFileSync(join(aside, 'removed'), 'latin1').split('\0').filter(Boolean));
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return new Set();
    throw error;
  }
}

function writeRemoved(aside: string, paths: readonly BytePath[]): void {
  const draft = join(aside, 'removed.carrel');
  mkdirSync(aside, { recursive: true });
  writeFileSync(draft, paths.map(path => `${path}\0`).join(''), 'latin1');
  renameSync(draft, join(aside, 'removed'));
}
