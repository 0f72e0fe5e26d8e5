import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ignoreMissing } from '../../domain/error.js';
import { findProcess } from '../../exec/process-table.js';
import { findScratchOwner } from '../../git/scratch-directory.js';
import { removeTree } from '../../workspace/remove-tree.js';
import { releasePacks } from './adopt-pack.js';
import { incomingDir, removeIfEmpty } from './incoming-repository.js';

/** Removes what dead processes left of taking back the commits of a workspace. What was not taken is still inside. */
export async function sweepIncoming(commonDir: string, workspaceId: string): Promise<void> {
  const parent = incomingDir(commonDir, workspaceId);
  const names = await readdir(parent).catch(ignoreMissing);
  if (!names) return;
  for (const name of names) {
    const owner = findScratchOwner(name);
    if (owner === undefined || findProcess(owner)) continue;
    await releasePacks(join(parent, name), commonDir);
    await removeTree(join(parent, name));
  }
  await removeIfEmpty(parent);
  await removeIfEmpty(dirname(parent));
}
