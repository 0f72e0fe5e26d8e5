import { isCarrelError } from '../domain/error/error.js';
import type { WorkspaceRecord } from '../domain/workspace/workspace.js';
import { exportBookmarks, importBookmarks } from '../jj/bookmarks.js';
import type { Jj } from '../jj/jj.js';
import { isColocated, locateJjRepository } from '../jj/repository.js';

/** Whether a workspace that git knows as a worktree belongs to a repository used with jj. */
export async function isInJj({ repository, commonDir }: WorkspaceRecord): Promise<boolean> {
  const found = await locateJjRepository(repository).catch(() => undefined);
  return found !== undefined && found.commonDir === commonDir;
}

/** Makes jj import git's branches, where jj is used; returns a warning when that fails. */
export async function importIntoJj(jj: Jj, record: WorkspaceRecord): Promise<string[]> {
  if (!(await isInJj(record))) return [];
  try {
    await importBookmarks(jj, record.repository);
    return [];
  } catch (error) {
    if (!isCarrelError(error, 'JJ_FAILED', 'JJ_MISSING')) throw error;
    return [`jj has not imported the change: ${error.message}; import it with: jj git import`];
  }
}

/**
 * Updates git's branches to jj's bookmarks, after importing what git has done: in a colocated repository every jj command
 * of the user does both, elsewhere only jj reads git's branches.
 */
export async function updateFromJj(jj: Jj, record: WorkspaceRecord): Promise<void> {
  const { repository: root, commonDir } = record;
  if (!(await isInJj(record)) || isColocated({ root, commonDir: commonDir as string })) return;
  await importBookmarks(jj, root);
  await exportBookmarks(jj, root);
}
