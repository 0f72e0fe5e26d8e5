import { constants } from 'node:fs';
import { copyFile, stat, utimes } from 'node:fs/promises';

/**
 * git looks into every file that was written in the second of its index or later: it could have been changed after the
 * index was written. In a template nobody could, so its index is given the next second. Otherwise the first `git status`
 * of each user would read those files and write the index anew.
 */
export async function settleIndex(indexFile: string): Promise<void> {
  const next = Math.floor(Date.now() / 1000) + 1;
  await utimes(indexFile, next, next);
}

/**
 * A copy and not a link: git puts a new index in the place of the old one, but whoever writes into the file itself would
 * write into everybody's. Eight megabytes, for 80,000 files, take 3 ms.
 */
export async function copyTemplateIndex(from: string, to: string): Promise<void> {
  const { mtimeMs } = await stat(from);
  await copyFile(from, to, constants.COPYFILE_FICLONE);
  await utimes(to, mtimeMs / 1000, mtimeMs / 1000);
}
