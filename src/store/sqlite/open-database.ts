import { accessSync, closeSync, constants, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'libsql';
import { errnoOf } from '../../domain/error.js';
import { translateOpenError } from './sqlite-error.js';

/**
 * How long SQLite itself waits for a lock, in milliseconds. It blocks the whole process, also the transaction of
 * another store in it that may hold that very lock, so this is short; session.ts does the long waiting.
 */
const BLOCKING_WAIT_MS = 5;

/** Opens the file, made when absent, for its owner only. DISK_FULL, STATE_NOT_WRITABLE. */
export function openDatabaseFile(file: string): Database.Database {
  try {
    makeDirectory(dirname(file));
    if (!createFile(file)) accessSync(file, constants.R_OK | constants.W_OK);
    return openDatabase(file);
  } catch (error) {
    throw translateOpenError(error, file);
  }
}

export function openDatabase(name: string): Database.Database {
  return new Database(name, { timeout: BLOCKING_WAIT_MS });
}

/**
 * One level at a time, because Node's own recursive mkdir says ENOENT on a read-only file system and never returns in
 * /proc (both seen with Node 20).
 */
function makeDirectory(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
  makeDirectory(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
  }
}

/**
 * False when it is there already. An existing file is never opened here: POSIX drops all locks that a process has on a
 * file when it closes any descriptor of it, so another store in this process would lose its hold on the database.
 */
function createFile(file: string): boolean {
  try {
    // SQLite gives its -wal and -shm files the mode of the database.
    closeSync(openSync(file, 'wx', 0o600));
    return true;
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false;
    throw error;
  }
}
