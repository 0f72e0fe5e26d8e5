import { chmodSync, existsSync, renameSync, rmSync } from 'node:fs';
import { openDatabase } from './open-database.js';

/**
 * Writes a copy of the current database, readable only by its owner. A separate connection reads it, so another one may
 * have started to write. Atomic: it gets its name when it is complete. Returns the name, which is `wanted` or,
 * when there is such a file already, that with a number.
 */
export function copyDatabase(file: string, wanted: string): string {
  const draft = `${wanted}.part-${process.pid}`;
  rmSync(draft, { force: true });
  const database = openDatabase(file);
  try {
    database.exec(`vacuum into '${draft.replaceAll("'", "''")}'`);
    chmodSync(draft, 0o600);
    const name = findFreeName(wanted);
    renameSync(draft, name);
    return name;
  } finally {
    database.close();
    rmSync(draft, { force: true });
  }
}

/** The copy that was kept before the database left this version. */
export const copyOfVersion = (file: string, version: number): string => `${file}.version-${version}`;

function findFreeName(wanted: string): string {
  if (!existsSync(wanted)) return wanted;
  let number = 2;
  while (existsSync(`${wanted}-${number}`)) number++;
  return `${wanted}-${number}`;
}
