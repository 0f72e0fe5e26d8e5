import { createHash, type Hash, randomUUID } from 'node:crypto';
import type { Stats } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { BytePath } from '../byte-path.js';
import type { InspectionMeter } from './inspection-meter.js';
import { readDirectory, statEntry } from './read-directory.js';

export interface FingerprintRequest {
  readonly root: string;
  /** Directories whose own entries count too, and nothing below them: the git directory of the work tree. */
  readonly besides: readonly string[];
  /** A top-level name that belongs to another tool and is not part of the work. */
  readonly apart?: string | undefined;
  /** Directories below the root that are not entered. */
  readonly passedOver: ReadonlySet<BytePath>;
  /** Give up above this many files and directories. */
  readonly most?: number | undefined;
  readonly meter?: InspectionMeter | undefined;
  /** Milliseconds since 1970. */
  readonly now?: number | undefined;
}

export interface Fingerprint {
  readonly hash: string;
  /** Number of files and directories visited. */
  readonly entries: number;
}

/**
 * A hash of the file system's metadata of all files of a work tree: path, kind, permissions, size, inode and times. No file
 * is opened and no process started. Equal hashes mean equal files, because the kernel updates the change time on every
 * change. Undefined above `most`. FILE_UNREADABLE, LOOK_TOO_LARGE.
 */
export async function fingerprintFiles(request: FingerprintRequest): Promise<Fingerprint | undefined> {
  const { root, besides, apart, passedOver, most = Number.POSITIVE_INFINITY, meter } = request;
  const startedAt = request.now ?? Date.now();
  const state: FingerprintState = { hash: createHash('sha256'), entries: 0, startedAt, isRecent: false };
  for (const directory of besides) addDirectory(state, directory, '', isOwn);
  const pending: BytePath[] = [''];
  const top = statEntry(root, '');
  if (top) addEntry(state, '', top);
  let turn = ENTRIES_PER_TURN;
  for (let directory = pending.pop(); directory !== undefined; directory = pending.pop()) {
    const before = state.entries;
    for (const path of addDirectory(state, root, directory, name => directory === '' && name === apart))
      if (!passedOver.has(path)) pending.push(path);
    meter?.count(state.entries - before);
    if (state.entries > most) return undefined;
    if (state.entries < turn) continue;
    turn = state.entries + ENTRIES_PER_TURN;
    await nextTurn();
  }
  // A file that was changed a moment ago may change again within the same clock tick, unnoticed.
  if (state.isRecent) state.hash.update(randomUUID());
  return { hash: state.hash.digest('hex'), entries: state.entries };
}

/** Entries between yields: about 10 ms. */
const ENTRIES_PER_TURN = 2000;

/** More than a tick of any kernel's clock. */
const TICK_MS = 20;

interface FingerprintState {
  readonly hash: Hash;
  readonly startedAt: number;
  entries: number;
  isRecent: boolean;
}

/** Adds the contents of a directory except what is `apart`, and returns its subdirectories. */
function addDirectory(
  state: FingerprintState,
  root: string,
  directory: BytePath,
  isApart: (name: BytePath) => boolean,
): BytePath[] {
  const inner: BytePath[] = [];
  for (const { path, name, stats } of readDirectory(root, directory)) {
    if (isApart(name)) continue;
    addEntry(state, path, stats);
    if (stats.isDirectory()) inner.push(path);
  }
  return inner;
}

function addEntry(state: FingerprintState, path: BytePath, stats: Stats): void {
  const { mode, size, ino, mtimeMs, ctimeMs } = stats;
  // The size of a directory, and how it is sorted, depend on the file system.
  const bytes = stats.isDirectory() ? 0 : size;
  state.hash.update(`${path}\0${mode} ${bytes} ${ino} ${mtimeMs} ${ctimeMs}\n`, 'latin1');
  state.entries++;
  if (state.startedAt - ctimeMs < TICK_MS) state.isRecent = true;
}

/** Temporary files in a git directory, and what inspecting itself leaves there. */
const isOwn = (name: BytePath): boolean => name === 'carrel-look-given-up' || name.endsWith('.lock');
