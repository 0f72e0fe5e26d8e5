import { chmodSync, lstatSync, readdirSync, rmdirSync, unlinkSync } from 'node:fs';
import { errnoOf } from '../../domain/error/error.js';
import { runProcess } from '../../exec/run-process.js';
import { type BytePath, toBytePath, toBytes } from '../../git/byte-path.js';
import { createTimeSlice, type TimeSlice } from './time-slice.js';

/** How often a directory is emptied again while another process keeps writing into it. */
const MOST_PASSES = 10;

const OWNER_MAY_ALL = 0o700;

/**
 * Permanently deletes a file, a symbolic link or a whole directory. Directories without write or read permission are
 * opened up on the way, symbolic links are deleted and never followed, and a missing path is fine. Only the tree's own
 * directories are changed: it is an error when the parent of `path` is not writable. Another user's non-empty directory
 * is an error too, after everything else is deleted.
 */
export async function removeTree(path: string, slice: TimeSlice = createTimeSlice()): Promise<void> {
  const info = lstatSync(path, { throwIfNoEntry: false });
  const bytes = toBytePath(path);
  if (info?.isDirectory()) await removeDirectory(bytes, slice).catch(error => removeDeep(error, path, slice));
  else if (info) removeFile(bytes);
}

/** A tree can be deeper than any path that a system call accepts, so it is removed level by level, as rm(1) does. */
async function removeDeep(error: unknown, path: string, slice: TimeSlice): Promise<void> {
  if (errnoOf(error) !== 'ENAMETOOLONG') throw error;
  await runRemove(path);
  await removeDirectory(toBytePath(path), slice);
}

/** The same for many files, with rm(1) if available: 1.6 times as fast for 80,000. Falls back to `removeTree`. */
export async function removeLargeTree(path: string): Promise<void> {
  await runRemove(path);
  await removeTree(path);
}

async function runRemove(path: string): Promise<void> {
  const env = { PATH: '/usr/bin:/bin', LC_ALL: 'C' };
  await runProcess({ command: 'rm', args: ['-rf', '--', path], cwd: '/', env }).catch(() => undefined);
}

/** Whether there are at most `limit` files and directories; false when something can't be read. */
export function isSmallTree(path: string, most: number): boolean {
  const pending: BytePath[] = [toBytePath(path)];
  for (let left = most; left >= 0; ) {
    const current = pending.pop();
    if (current === undefined) return true;
    const entries = listOrUndefined(current);
    if (!entries) return false;
    left -= entries.length;
    for (const entry of entries) if (entry.isDirectory()) pending.push(`${current}/${entry.name}`);
  }
  return false;
}

function listOrUndefined(path: BytePath) {
  try {
    return unlessMissing(() => listDirectory(path)) ?? [];
  } catch {
    return undefined;
  }
}

async function removeDirectory(path: BytePath, slice: TimeSlice): Promise<void> {
  openUp(path);
  for (let pass = 1; ; pass++) {
    const refusal = await removeChildren(path, slice);
    try {
      return unlessMissing(() => rmdirSync(toBytes(path)));
    } catch (error) {
      if (!['ENOTEMPTY', 'EEXIST'].includes(errnoOf(error) ?? '')) throw error;
      if (refusal || pass === MOST_PASSES) throw refusal ?? error;
    }
  }
}

/**
 * Listing a directory, reaching its entries and deleting them need three different permissions, and a missing one can
 * fail calls on its grandchildren too. So a directory gets all of them before it is entered, if we own it.
 */
function openUp(path: BytePath): void {
  const info = lstatSync(toBytes(path), { throwIfNoEntry: false });
  if (!info?.isDirectory() || (info.mode & OWNER_MAY_ALL) === OWNER_MAY_ALL) return;
  try {
    chmodSync(toBytes(path), OWNER_MAY_ALL);
  } catch (error) {
    // Another user's directory. If that matters, the deletion will fail.
    if (!['EPERM', 'ENOENT'].includes(errnoOf(error) ?? '')) throw error;
  }
}

/** An entry that can't be deleted does not stop its siblings from being deleted; the first error is returned. */
async function removeChildren(path: BytePath, slice: TimeSlice): Promise<unknown> {
  let refusal: unknown;
  const note = (error: unknown): undefined => {
    if (!['EACCES', 'EPERM'].includes(errnoOf(error) ?? '')) throw error;
    refusal ??= error;
  };
  for (const entry of listOrNote(path, note)) {
    const child = `${path}/${entry.name}`;
    if (entry.isDirectory()) await removeDirectory(child, slice).catch(note);
    else removeOrNote(child, note);
    if (slice.isOver()) await slice.breathe();
  }
  return refusal;
}

function listOrNote(path: BytePath, note: (error: unknown) => undefined) {
  try {
    return unlessMissing(() => listDirectory(path)) ?? [];
  } catch (error) {
    return note(error) ?? [];
  }
}

function removeOrNote(path: BytePath, note: (error: unknown) => undefined): void {
  try {
    removeFile(path);
  } catch (error) {
    note(error);
  }
}

const listDirectory = (path: BytePath) =>
  readdirSync(toBytes(path), { encoding: 'latin1', withFileTypes: true });

const removeFile = (path: BytePath): void => unlessMissing(() => unlinkSync(toBytes(path)));

function unlessMissing<T>(action: () => T): T | undefined {
  try {
    return action();
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
