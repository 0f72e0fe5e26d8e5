import type { DeveloperWorkflow } from '../domain/story/developer-workflow.js';
import type { StoryResult } from '../domain/story/story-report.js';
import type { CarrelClient } from '../surfaces/client/carrel-client.js';
import { ProblemError, UnreachableError } from '../surfaces/client/problem-error.js';
import { untilAnswered } from '../surfaces/client/until-answered.js';

/** Whether everything in the worktree is committed. */
export async function isEverythingCommitted(
  client: CarrelClient,
  { worktreeId }: DeveloperWorkflow,
): Promise<boolean> {
  if (worktreeId === null) return false;
  const { changes } = await untilAnswered(() => client.workspaces.show(worktreeId));
  return changes !== null && Object.values(changes).every(count => count === 0);
}

/**
 * Requests the removal of a worktree whose work passed. The commits stay on the branch. Leftovers of builds and tests are
 * discarded (a snapshot has them) when the worktree was clean before they ran. When the server refuses because something
 * could be lost, the worktree stays and the story still passes; likewise when the server no longer responds.
 */
export async function requestRemoval(
  client: CarrelClient,
  { id }: DeveloperWorkflow,
  { wasTidy: wasClean }: { readonly wasTidy: boolean },
): Promise<Partial<StoryResult>> {
  try {
    const removed = await untilAnswered(() =>
      client.developer.removeWorktree(id, { discardChanges: wasClean }),
    );
    return { worktreeKept: removed.keptFiles, branch: removed.keptBranch, warnings: removed.warnings };
  } catch (error) {
    // Requested twice, because the response was lost.
    if (error instanceof ProblemError && error.code === 'WORKSPACE_NOT_FOUND')
      return { worktreeKept: false, warnings: [] };
    if (!(error instanceof ProblemError || error instanceof UnreachableError)) throw error;
    return { warnings: [`the worktree was kept: ${error.message}`] };
  }
}
