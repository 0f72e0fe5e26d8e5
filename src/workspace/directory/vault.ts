import { mkdir, rename, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errnoOf } from '../../domain/error.js';
import type { Git } from '../../git/git.js';
import { withScratchDirectory } from '../../git/scratch-directory.js';

/**
 * The bare repository in which Carrel keeps what plain directories were and are, since they have none of their own.
 * Made at first use: put together aside and renamed, so that of several processes one wins and nobody sees half of it.
 */
export async function ensureVault(git: Git, vaultDir: string): Promise<void> {
  if (await isThere(vaultDir)) return;
  await mkdir(dirname(vaultDir), { recursive: true });
  await withScratchDirectory(dirname(vaultDir), async scratch => {
    const draft = join(scratch, 'vault.git');
    await mkdir(draft);
    await initBare(git, draft);
    await rename(draft, vaultDir).catch(error => {
      if (!['ENOTEMPTY', 'EEXIST'].includes(errnoOf(error) ?? '')) throw error;
    });
  });
}

/**
 * Runs `action` with a bare repository that reads the vault's objects and keeps new ones to itself, so that looking at a
 * directory leaves nothing behind.
 */
export async function withScratchVault<T>(
  git: Git,
  vaultDir: string,
  temporaryRoot: string,
  action: (scratchVault: string) => Promise<T>,
): Promise<T> {
  return withScratchDirectory(temporaryRoot, async scratch => {
    await initBare(git, scratch);
    await mkdir(join(scratch, 'objects', 'info'), { recursive: true });
    await writeFile(join(scratch, 'objects', 'info', 'alternates'), `${join(vaultDir, 'objects')}\n`);
    return action(scratch);
  });
}

/** Without templates: what the user has git put into new repositories has no place here. */
async function initBare(git: Git, directory: string): Promise<void> {
  await git.run(['init', '--quiet', '--bare', '--template=', directory], { cwd: directory });
}

async function isThere(vaultDir: string): Promise<boolean> {
  return stat(join(vaultDir, 'HEAD')).then(
    () => true,
    () => false,
  );
}
