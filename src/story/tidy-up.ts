import type { CarrelClient } from '../client/carrel-client.js';
import { ProblemError, UnreachableError } from '../client/problem-error.js';
import { untilAnswered } from '../client/until-answered.js';
import type { DeveloperWorkflow } from '../domain/developer-workflow.js';
import type { StoryResult } from '../domain/story-report.js';

/** Whether all that is in the worktree is committed. */
export async function isTidy(client: CarrelClient, { worktreeId }: DeveloperWorkflow): Promise<boolean> {
  if (worktreeId === null) return false;
  const { changes } = await untilAnswered(() => client.workspaces.show(worktreeId));
  return changes !== null && Object.values(changes).every(count => count === 0);
}

/**
 * Asks for the removal of a worktree whose work was found good. The commits stay on the branch. What builds and tests have
 * left lying is given up (a snapshot has it), when nothing else lay there before they ran. A server that refuses, because
 * something could be lost, has its reasons: the worktree stays, and the story has passed all the same. So it has when the
 * server does not answer any more.
 */
export async function tidyUp(
  client: CarrelClient,
  { id }: DeveloperWorkflow,
  { wasTidy }: { readonly wasTidy: boolean },
): Promise<Partial<StoryResult>> {
  try {
    const removed = await untilAnswered(() =>
      client.developer.removeWorktree(id, { discardChanges: wasTidy }),
    );
    return { worktreeKept: removed.keptFiles, branch: removed.keptBranch, warnings: removed.warnings };
  } catch (error) {
    // Asked twice, because the answer was lost.
    if (error instanceof ProblemError && error.code === 'WORKSPACE_NOT_FOUND')
      return { worktreeKept: false, warnings: [] };
    if (!(error instanceof ProblemError || error instanceof UnreachableError)) throw error;
    return { warnings: [`the worktree was kept: ${error.message}`] };
  }
}
