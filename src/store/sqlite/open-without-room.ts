import { copyFileSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type Database from 'libsql';
import { openDatabase } from './open-database.js';

/** A database that is only read, and how to remove its copy when it is closed. */
export interface ReadableDatabase {
  readonly database: Database.Database;
  readonly dispose: () => void;
}

/**
 * Opens the database on a full disk for reading: SQLite needs space for its shared memory file even for that. When
 * another process has changes in the write-ahead log, the file alone would show an older state, so both are copied to
 * `scratchRoot` first. Throws the errors of copying.
 */
export function openWithoutRoom(file: string, scratchRoot: string): ReadableDatabase {
  if (!hasLog(file)) return { database: openImmutable(file), dispose: () => undefined };
  const directory = mkdtempSync(join(scratchRoot, 'carrel-read-'));
  const dispose = () => rmSync(directory, { recursive: true, force: true });
  try {
    const copy = join(directory, 'carrel.db');
    copyFileSync(file, copy);
    copyFileSync(`${file}-wal`, `${copy}-wal`);
    return { database: openDatabase(copy), dispose };
  } catch (error) {
    dispose();
    throw error;
  }
}

/** No locks, no log, no shared memory. */
const openImmutable = (file: string): Database.Database =>
  openDatabase(`${pathToFileURL(file).href}?mode=ro&immutable=1`);

function hasLog(file: string): boolean {
  return (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
}
