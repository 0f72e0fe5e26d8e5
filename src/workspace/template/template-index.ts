import { constants, copyFileSync, statSync, utimesSync } from 'node:fs';
import { utimes } from 'node:fs/promises';

/**
 * git reads every file written in the same second as its index or later: it could have changed after the index was written.
 * A template never changes, so its index gets the next second as its time. Otherwise the first `git status` of each user
 * would read those files and rewrite the index.
 */
export async function setLaterTime(indexFile: string): Promise<void> {
  const next = Math.floor(Date.now() / 1000) + 1;
  await utimes(indexFile, next, next);
}

/**
 * A copy, not a link: git replaces the index by a new file, but a program that writes into the file itself would change it
 * for all users. Eight megabytes, for 80,000 files, take 3 ms.
 */
export async function copyTemplateIndex(from: string, to: string): Promise<void> {
  const { mtimeMs } = statSync(from);
  copyFileSync(from, to, constants.COPYFILE_FICLONE);
  utimesSync(to, mtimeMs / 1000, mtimeMs / 1000);
}
