import { isCarrelError } from '../../../domain/error/error.js';
import { updateRefs } from '../../../git/refs/refs.js';
import { listWorktrees } from '../../../git/repository/locate-git-repository.js';
import type { Context } from '../../../operations/context.js';
import { detectBackend } from '../../../operations/repository/locate-repository.js';
import type { TaskWork } from '../task-branch.js';

/**
 * Deletes the branch of a task's removed workspace after its work has landed: when it is still where the task left it,
 * it is not checked out, and another branch contains all of its commits. Returns whether it is gone.
 */
export async function deleteLandedBranch(
  { git }: Pick<Context, 'git'>,
  { branch, commit, gitDir, head, repository }: TaskWork,
): Promise<boolean> {
  // A jj bookmark would come back with the next export.
  if (commit !== head || (await detectBackend(repository)) === 'jj') return false;
  const ref = `refs/heads/${branch}`;
  if ((await listWorktrees(git, gitDir)).some(worktree => worktree.branch === ref)) return false;
  try {
    await updateRefs(git, { gitDir }, [{ ref, from: commit, to: null }]);
    return true;
  } catch (error) {
    // Another process has moved or deleted it meanwhile.
    if (isCarrelError(error, 'REF_MOVED')) return false;
    throw error;
  }
}
