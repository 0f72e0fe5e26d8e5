import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Records, readRecords } from '../../helpers/records.js';
import type { Machine } from './machine.js';

/**
 * What is recorded while nothing runs, read from a copy: a connection to the database itself is closed only when its
 * memory is collected, and then deletes the log of the database that has that name by now.
 */
export function readSettledRecords({ carrel, root }: Machine): Records {
  const copy = mkdtempSync(join(root, 'records-'));
  try {
    for (const name of ['carrel.db', 'carrel.db-wal']) {
      const file = join(carrel.stateDir, name);
      if (existsSync(file)) copyFileSync(file, join(copy, name));
    }
    return readRecords(copy);
  } finally {
    rmSync(copy, { recursive: true });
  }
}
