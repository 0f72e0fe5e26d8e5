import type { Failure } from '../../domain/task/failure.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import type { Ending, Execution } from '../execution.js';
import { runStages } from '../stage/run-stages.js';
import { validateTask } from './validate-task.js';

/**
 * Validates the work of all stages. In a retry after a failed validation the user may have fixed it, so it is validated
 * first; if it still fails, the stage that a retry has chosen for that (see `resetStages`) runs once more.
 */
export async function validateOrFix(execution: Execution, workspace: WorkspaceRecord): Promise<Ending> {
  const stageToFix = findStageToFix(execution);
  const ending = await validateTask(execution, workspace);
  if (stageToFix === undefined) return ending;
  if (ending.kind === 'done') await forgetFailure(execution, stageToFix);
  if (ending.kind !== 'failed' || ending.failure.kind !== 'validation-failed') return ending;
  await reopen(execution, stageToFix, ending.failure);
  const fixed = await runStages(execution, workspace);
  return fixed.kind === 'done' ? validateTask(execution, workspace) : fixed;
}

/** A successful stage that gets the validation failure to fix. */
const findStageToFix = ({ task }: Execution): string | undefined =>
  task.current().stages.find(stage => stage.status === 'succeeded' && stage.previousFailure)?.name;

async function forgetFailure({ task }: Execution, name: string): Promise<void> {
  await task.change(({ stages }) => ({
    stages: stages.map(each => {
      const { previousFailure, ...stage } = each;
      return each.name === name ? stage : each;
    }),
  }));
}

/** It runs in the workspace of the task, even if it ran in parallel before: all work is joined. */
async function reopen({ task, tell }: Execution, name: string, failure: Failure): Promise<void> {
  const again = { status: 'pending', previousFailure: failure, workspaceName: null } as const;
  await task.change(({ stages }) => ({
    status: 'running',
    stages: stages.map(stage => (stage.name === name ? { ...stage, ...again } : stage)),
  }));
  tell({
    stage: name,
    attempt: 0,
    stream: 'carrel',
    text: `has to fix the failed validation: ${failure.message}`,
  });
}
