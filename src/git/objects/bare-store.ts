import { mkdir, rename, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { errnoOf } from '../../domain/error/error.js';
import { withScratchDirectory } from '../disk/scratch-directory.js';
import type { Git } from '../git.js';

/**
 * A bare repository of Carrel's. Created on first use: built under a temporary name and renamed, so that of several
 * processes one wins and none sees a partial one.
 */
export async function ensureBareStore(
  git: Git,
  directory: string,
  format?: 'sha1' | 'sha256',
): Promise<void> {
  if (await isStore(directory)) return;
  await mkdir(dirname(directory), { recursive: true, mode: 0o700 });
  await withScratchDirectory(dirname(directory), async scratch => {
    const draft = join(scratch, basename(directory));
    await mkdir(draft);
    await initBareStore(git, draft, format);
    await rename(draft, directory).catch(error => {
      if (!['ENOTEMPTY', 'EEXIST'].includes(errnoOf(error) ?? '')) throw error;
    });
  });
}

/** Without templates: the user's template does not belong here. */
export async function initBareStore(git: Git, directory: string, format?: 'sha1' | 'sha256'): Promise<void> {
  const formatFlag = format === undefined ? [] : [`--object-format=${format}`];
  await git.run(['init', '--quiet', '--bare', '--template=', ...formatFlag, directory], { cwd: directory });
}

export const isStore = (directory: string): Promise<boolean> =>
  stat(join(directory, 'HEAD')).then(
    () => true,
    () => false,
  );
