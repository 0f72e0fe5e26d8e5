import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { withScratchDirectory } from '../../git/disk/scratch-directory.js';
import type { Git } from '../../git/git.js';
import { ensureBareStore, initBareStore } from '../../git/objects/bare-store.js';

/**
 * The bare repository where Carrel keeps the history of plain directories, which have none themselves. Created on first
 * use.
 */
export const ensureVault = (git: Git, vaultDir: string): Promise<void> => ensureBareStore(git, vaultDir);

/**
 * Runs `action` with a bare repository that reads the vault's objects and keeps new ones to itself, so that inspecting
 * a directory leaves nothing behind.
 */
export async function withScratchVault<T>(
  git: Git,
  vaultDir: string,
  temporaryRoot: string,
  action: (scratchVault: string) => Promise<T>,
): Promise<T> {
  return withScratchDirectory(temporaryRoot, async scratch => {
    await initBareStore(git, scratch);
    await mkdir(join(scratch, 'objects', 'info'), { recursive: true });
    await writeFile(join(scratch, 'objects', 'info', 'alternates'), `${join(vaultDir, 'objects')}\n`);
    return action(scratch);
  });
}
