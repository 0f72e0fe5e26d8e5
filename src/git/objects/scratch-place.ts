import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { withScratchDirectory } from '../disk/scratch-directory.js';
import type { Git, GitPlace } from '../git.js';
import { findCommonDir } from '../refs/plain-refs.js';

/**
 * Runs `action` with a place that reads the repository's objects and keeps new ones to itself, so that a query leaves
 * nothing behind. It has no files and no index, so no .gitattributes selects a merge driver.
 */
export async function withScratchPlace<T>(
  git: Git,
  place: GitPlace & { readonly gitDir: string },
  temporaryRoot: string,
  action: (scratch: GitPlace) => Promise<T>,
): Promise<T> {
  const objects = await findObjects(git, place);
  return withScratchDirectory(temporaryRoot, async directory => {
    const scratch = join(directory, 'objects');
    const workTree = join(directory, 'files');
    await Promise.all([mkdir(join(scratch, 'info'), { recursive: true }), mkdir(workTree)]);
    // A file instead of GIT_ALTERNATE_OBJECT_DIRECTORIES: that list is split at colons, and paths may have those.
    await writeFile(join(scratch, 'info', 'alternates'), `${objects}\n`);
    const scratchObjects = { directory: scratch, alternates: [] };
    return action({ gitDir: place.gitDir, workTree, indexFile: join(directory, 'index'), scratchObjects });
  });
}

async function findObjects(git: Git, place: GitPlace & { readonly gitDir: string }): Promise<string> {
  const commonDir = findCommonDir(place.gitDir);
  if (commonDir !== undefined) return join(commonDir, 'objects');
  return git.text(['rev-parse', '--path-format=absolute', '--git-path', 'objects'], place);
}
