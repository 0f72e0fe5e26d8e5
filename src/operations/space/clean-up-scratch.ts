import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { unmountOverlay } from '../../exec/filesystem/overlay-mount.js';
import { findProcess } from '../../exec/process/process-table.js';
import { findScratchOwner } from '../../git/disk/scratch-directory.js';
import { removeTree } from '../../workspace/files/remove-tree.js';
import { probeTarget } from '../../workspace/template/overlay-obstacle.js';

/**
 * Removes the scratch directories that dead processes left, also of read-only commands without a journal entry, and the mounts of overlay
 * tests in them. Other users' are left alone: only in our own directory can no other user replace a folder by a link. Returns whether
 * there were any.
 */
export async function cleanUpScratch(directory: string): Promise<boolean> {
  let hasSwept = false;
  for (const name of await readdir(directory).catch(() => [])) {
    const owner = findScratchOwner(name);
    if (owner === undefined || findProcess(owner)) continue;
    // Failing to remove one, or another command removing it, must not stop this command.
    await removeScratch(join(directory, name)).catch(() => undefined);
    hasSwept = true;
  }
  return hasSwept;
}

async function removeScratch(path: string): Promise<void> {
  const info = await lstat(path);
  if (!info.isDirectory() || info.uid !== process.getuid?.()) return;
  await unmountOverlay(probeTarget(path));
  await removeTree(path);
}
