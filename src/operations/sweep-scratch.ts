import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
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
    // What can't be swept now, or is swept by another command at this moment, is no reason to stop this one.
    await sweep(join(directory, name)).catch(() => undefined);
  }
}

async function sweep(path: string): Promise<void> {
  const info = await lstat(path);
  if (info.isDirectory() && info.uid === process.getuid?.()) await removeTree(path);
}
