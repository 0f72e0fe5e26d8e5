import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoOf } from '../../domain/error/error.js';
import type { Git } from '../../git/git.js';

export interface LfsCheck {
  /** Configuration to check files out with. */
  readonly config: string[];
  readonly warnings: string[];
}

const UNTOUCHED = ['filter.lfs.required=false', 'filter.lfs.smudge=', 'filter.lfs.process='];

/**
 * Whether Git LFS files can be checked out. Without git-lfs a checkout of a repository that uses it would fail at the first
 * such file; with this configuration the pointers are checked out as they are.
 */
export async function checkLfs(git: Git, repositoryRoot: string): Promise<LfsCheck> {
  if (!(await usesLfs(repositoryRoot))) return { config: [], warnings: [] };
  // git answers 1 for a command that it does not know.
  if (await git.succeeds(['lfs', 'version'], { cwd: repositoryRoot })) return { config: [], warnings: [] };
  return {
    config: [...UNTOUCHED],
    warnings: [
      'git-lfs is not installed, so files stored in Git LFS are pointers; install it, then run: git lfs pull',
    ],
  };
}

async function usesLfs(repositoryRoot: string): Promise<boolean> {
  try {
    return /\bfilter=lfs\b/.test(await readFile(join(repositoryRoot, '.gitattributes'), 'utf8'));
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EISDIR', 'ELOOP', 'EACCES'].includes(errnoOf(error) ?? '')) return false;
    throw error;
  }
}
