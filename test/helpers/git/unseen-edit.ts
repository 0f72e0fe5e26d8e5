import { lstatSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { git } from '../repository.js';

/** A time as from nix, tar or npm: the same for every file. */
const FIXED = 499_162_500;

/**
 * An edit that git does not see: of the same size, with the old time of the file, within a second of its last change.
 * Tried again when the second was over too soon; the file is as it was before then.
 */
export function editUnseen(work: string, path: string, content: string): void {
  const file = join(work, path);
  const before = readFileSync(file);
  for (let attempt = 0; attempt < 20; attempt++) {
    writeFileSync(file, before);
    utimesSync(file, FIXED, FIXED);
    git(work, 'update-index', '-q', '--refresh');
    const { ctimeMs } = lstatSync(file);
    writeFileSync(file, content);
    utimesSync(file, FIXED, FIXED);
    if (Math.floor(lstatSync(file).ctimeMs / 1000) === Math.floor(ctimeMs / 1000)) return;
  }
  throw new Error('every attempt took longer than a second');
}

/** The same where the time is that of now. */
export function editWithinTheSecond(work: string, path: string, content: string): void {
  const file = join(work, path);
  const { atime, mtime } = lstatSync(file);
  writeFileSync(file, content);
  utimesSync(file, atime, mtime);
}
