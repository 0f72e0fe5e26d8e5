import { isCarrelError } from '../domain/error.js';
import type { WorkspaceRecord } from '../domain/workspace.js';
import { exportBookmarks, importBookmarks } from '../jj/bookmarks.js';
import type { Jj } from '../jj/jj.js';
import { isColocated, locateJjRepository } from '../jj/repository.js';

/** Whether a workspace that git knows as a worktree is of a repository whose user works with jj. */
export async function isInJj({ repository, commonDir }: WorkspaceRecord): Promise<boolean> {
  const found = await locateJjRepository(repository).catch(() => undefined);
  return found !== undefined && found.commonDir === commonDir;
}

/** Lets jj see what happened to git's branches, where there is a jj; gives a warning when it does not. */
export async function tellJj(jj: Jj, record: WorkspaceRecord): Promise<string[]> {
  if (!(await isInJj(record))) return [];
  try {
    await importBookmarks(jj, record.repository);
    return [];
  } catch (error) {
    if (!isCarrelError(error, 'JJ_FAILED', 'JJ_MISSING')) throw error;
    return [`jj does not know of it yet: ${error.message}; let it look with: jj git import`];
  }
}

/**
 * Brings git's branches up to jj's bookmarks, after what git has done: in a colocated repository jj does both with every
 * command of the user's, elsewhere nobody but jj looks at git's branches.
 */
export async function askJj(jj: Jj, record: WorkspaceRecord): Promise<void> {
  const { repository: root, commonDir } = record;
  if (!(await isInJj(record)) || isColocated({ root, commonDir: commonDir as string })) return;
  await importBookmarks(jj, root);
  await exportBookmarks(jj, root);
}
