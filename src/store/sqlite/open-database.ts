import { accessSync, closeSync, constants, openSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'libsql';
import { errnoOf } from '../../domain/error/error.js';
import { makePrivateDirectory } from '../make-private-directory.js';
import { translateOpenError } from './sqlite-error.js';

/**
 * How long SQLite itself waits for a lock, in milliseconds. It blocks the whole process, also the transaction of
 * another store in it that may hold that very lock, so this is short; store-session.ts does the long waiting.
 */
const BLOCKING_WAIT_MS = 5;

/** Opens the file, for its owner only; created if missing. DISK_FULL, STATE_NOT_WRITABLE, TOO_MANY_OPEN_FILES. */
export function openDatabaseFile(file: string): Database.Database {
  try {
    makePrivateDirectory(dirname(file));
    if (!createFile(file)) accessSync(file, constants.R_OK | constants.W_OK);
    requireDescriptors(dirname(file));
    return openDatabase(file);
  } catch (error) {
    throw translateOpenError(error, file);
  }
}

export function openDatabase(name: string): Database.Database {
  return new Database(name, { timeout: BLOCKING_WAIT_MS });
}

/**
 * False when it already exists. An existing file is never opened here: POSIX drops all locks that a process has on a
 * file when it closes any descriptor of it, so another store in this process would lose its lock on the database.
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

/** More than the database, its log, its shared memory and libsql's own pipes need. */
const DESCRIPTORS = 24;

/**
 * Throws EMFILE or ENFILE. With too few descriptors libsql aborts the process: with `ulimit -n 25` its runtime panics
 * with "failed to create UnixStream: Too many open files". This check takes about 50 µs.
 */
function requireDescriptors(directory: string): void {
  const opened: number[] = [];
  try {
    while (opened.length < DESCRIPTORS) opened.push(openSync(directory, 'r'));
  } finally {
    for (const descriptor of opened) closeSync(descriptor);
  }
}
