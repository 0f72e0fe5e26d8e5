import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoOf } from '../domain/error.js';
import { findProcess } from '../exec/process-table.js';
import { findScratchOwner } from '../git/scratch-directory.js';
import { removeTree } from '../workspace/remove-tree.js';

/**
 * Removes the scratch directories that dead processes left, also those that only looked and so had no entry in the
 * journal. Other users' are theirs: only in a directory of our own nobody can put a link where a folder was.
 */
export async function sweepScratch(directory: string): Promise<void> {
  for (const name of await readdir(directory).catch(() => [])) {
    const owner = findScratchOwner(name);
    if (owner === undefined || findProcess(owner)) continue;
    const path = join(directory, name);
    const info = await lstat(path).catch(ignoreMissing);
    if (info?.isDirectory() && info.uid === process.getuid?.()) await removeTree(path);
  }
}

/** Two commands may sweep at once. */
function ignoreMissing(error: unknown): undefined {
  if (errnoOf(error) !== 'ENOENT') throw error;
}
