import { isCarrelError } from '../domain/error.js';
import type { TaskRecord } from '../domain/task.js';
import { listWorktrees } from '../git/locate.js';
import { updateRefs } from '../git/refs.js';
import type { Context } from '../operations/context.js';
import { detectBackend } from '../operations/locate-repository.js';
import type { TaskWork } from './task-work.js';

/**
 * Deletes the branch that a task's workspace left behind, once its work has landed: it is still where the task left it,
 * nobody has it checked out, and another branch holds all of its commits. Gives whether it is gone.
 */
export async function dropLandedBranch(
  { git }: Context,
  task: TaskRecord,
  { branch, commit, gitDir }: TaskWork,
): Promise<boolean> {
  // A bookmark of jj's would come back with its next export.
  if (commit !== task.head || (await detectBackend(task.repository)) === 'jj') return false;
  const ref = `refs/heads/${branch}`;
  if ((await listWorktrees(git, gitDir)).some(worktree => worktree.branch === ref)) return false;
  try {
    await updateRefs(git, { gitDir }, [{ ref, from: commit, to: null }]);
    return true;
  } catch (error) {
    // Somebody has moved or deleted it meanwhile, and knows why.
    if (isCarrelError(error, 'REF_MOVED')) return false;
    throw error;
  }
}
