import { carrelError, isCarrelError } from '../../domain/error.js';
import type { WorkspaceRecord } from '../../domain/workspace.js';
import type { Git } from '../../git/git.js';
import { freeBytes } from '../disk.js';
import { measureDirectory } from '../size.js';
import { worktreeGitDir } from './place.js';

/**
 * What made a checkout fail. git takes back the file that did not fit, so that a disk which is too small may look as if
 * it had room; the size of all that was to be written tells.
 */
export async function explainFailedCheckout(
  git: Git,
  record: WorkspaceRecord,
  error: unknown,
): Promise<unknown> {
  if (!isCarrelError(error, 'GIT_FAILED')) return error;
  const room = (await freeBytes(record.path)) + (await measureDirectory(record.path));
  const isTooSmall = (await measureTree(git, record)) > room;
  return isTooSmall ? carrelError('DISK_FULL', { path: record.path }, error) : error;
}

/** Bytes of all files that HEAD names; a submodule has none. */
async function measureTree(git: Git, record: WorkspaceRecord): Promise<number> {
  const { gitDir } = worktreeGitDir(record);
  const sizes = await git.records(['ls-tree', '-r', '-z', '--format=%(objectsize)', 'HEAD'], { gitDir });
  return sizes.reduce((sum, size) => sum + (Number(size) || 0), 0);
}
