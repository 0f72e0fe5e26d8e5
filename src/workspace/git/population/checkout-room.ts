import { carrelError, isCarrelError } from '../../../domain/error/error.js';
import type { WorkspaceRecord } from '../../../domain/workspace/workspace.js';
import type { Git } from '../../../git/git.js';
import { measureDiskUsage } from '../../files/directory-size.js';
import { freeBytes } from '../../files/free-disk.js';
import { worktreeGitDir } from '../worktree-place.js';

/**
 * Why a checkout failed. git deletes the file that did not fit, so a disk that is too small may seem to have room; compare
 * with the total size that was to be written.
 */
export async function explainFailedCheckout(
  git: Git,
  record: WorkspaceRecord,
  error: unknown,
): Promise<unknown> {
  if (!isCarrelError(error, 'GIT_FAILED')) return error;
  const room = (await freeBytes(record.path)) + (await measureDiskUsage(record.path));
  const isTooSmall = (await measureTree(git, record)) > room;
  return isTooSmall ? carrelError('DISK_FULL', { path: record.path }, error) : error;
}

/** Bytes of all files that HEAD names; a submodule has none. */
async function measureTree(git: Git, record: WorkspaceRecord): Promise<number> {
  const { gitDir } = worktreeGitDir(record);
  const sizes = await git.records(['ls-tree', '-r', '-z', '--format=%(objectsize)', 'HEAD'], { gitDir });
  return sizes.reduce((sum, size) => sum + (Number(size) || 0), 0);
}
