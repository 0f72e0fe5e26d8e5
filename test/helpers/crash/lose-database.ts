import { copyFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import type { Carrel } from '../carrel.js';
import { tempDir } from '../temp.js';

/** Moves the database aside. */
export function loseDatabase({ stateDir }: Carrel): void {
  for (const name of FILES)
    whereItExists(() => renameSync(join(stateDir, name), join(stateDir, `aside-${name}`)));
}

/** A directory with a copy of it. */
export function keepDatabase({ stateDir }: Carrel): string {
  const copy = tempDir();
  for (const name of FILES) whereItExists(() => copyFileSync(join(stateDir, name), join(copy, name)));
  return copy;
}

/**
 * The log comes first: one that goes away in between has been written into the database, which is read after it. It may go at any
 * moment, because a closed database of the warm process lives on until its statements are collected as garbage (up to 37 s seen).
 */
const FILES = ['carrel.db-wal', 'carrel.db-shm', 'carrel.db'];

function whereItExists(change: () => void): void {
  try {
    change();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
