import { lstat, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ignoreMissing } from '../../domain/error/error.js';
import { findProcess } from '../../exec/process/process-table.js';
import { findScratchOwner } from '../../git/disk/scratch-directory.js';
import { removeTree } from '../../workspace/files/remove-tree.js';
import { releasePacks } from './adopt-pack.js';
import { incomingDir, removeIfEmpty } from './incoming-repository.js';

/** Removes what dead processes left while importing commits of a workspace. Commits not imported are still inside. */
export async function cleanUpIncoming(commonDir: string, workspaceId: string): Promise<void> {
  const parent = incomingDir(commonDir, workspaceId);
  const names = await readdir(parent).catch(ignoreMissing);
  if (!names) return;
  for (const name of names) {
    const owner = findScratchOwner(name);
    if (owner === undefined || findProcess(owner)) continue;
    await releasePacks(join(parent, name), commonDir);
    await releaseIndex(join(parent, name), join(commonDir, 'worktrees', workspaceId));
    await removeTree(join(parent, name));
  }
  await removeIfEmpty(parent);
  await removeIfEmpty(dirname(parent));
}

/** The lock of the index outside, if that process created it from its draft (see outside-index.ts). */
async function releaseIndex(scratch: string, adminDir: string): Promise<void> {
  const lock = join(adminDir, 'index.lock');
  const [draft, held] = await Promise.all(
    [join(scratch, 'index'), lock].map(file => lstat(file).catch(ignoreMissing)),
  );
  if (draft && held && draft.ino === held.ino && draft.dev === held.dev) await rm(lock, { force: true });
}
