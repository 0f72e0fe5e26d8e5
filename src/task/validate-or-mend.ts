import type { Failure } from '../domain/failure.js';
import type { WorkspaceRecord } from '../domain/workspace.js';
import type { Ending, Execution } from './execution.js';
import { runStages } from './run-stages.js';
import { validateTask } from './validate-task.js';

/**
 * Validates the work of all stages. In a retry after a red validation a person may have mended it, which is looked at
 * first; where it is still red, the stage that a retry has chosen for that (see `resetStages`) has one more go.
 */
export async function validateOrMend(execution: Execution, workspace: WorkspaceRecord): Promise<Ending> {
  const mender = findMender(execution);
  const ending = await validateTask(execution, workspace);
  if (mender === undefined) return ending;
  if (ending.kind === 'done') await forgetFailure(execution, mender);
  if (ending.kind !== 'failed' || ending.failure.kind !== 'validation-failed') return ending;
  await reopen(execution, mender, ending.failure);
  const mended = await runStages(execution, workspace);
  return mended.kind === 'done' ? validateTask(execution, workspace) : mended;
}

/** A stage that has succeeded and is to be told of a failure all the same. */
const findMender = ({ task }: Execution): string | undefined =>
  task.current().stages.find(stage => stage.status === 'succeeded' && stage.previousFailure)?.name;

async function forgetFailure({ task }: Execution, name: string): Promise<void> {
  await task.change(({ stages }) => ({
    stages: stages.map(each => {
      const { previousFailure, ...stage } = each;
      return each.name === name ? stage : each;
    }),
  }));
}

/** It works in the workspace of the task, also when it ran beside others before: their work is joined. */
async function reopen({ task, tell }: Execution, name: string, failure: Failure): Promise<void> {
  const again = { status: 'pending', previousFailure: failure, workspaceName: null } as const;
  await task.change(({ stages }) => ({
    status: 'running',
    stages: stages.map(stage => (stage.name === name ? { ...stage, ...again } : stage)),
  }));
  tell({ stage: name, attempt: 0, stream: 'carrel', text: `is to mend what failed: ${failure.message}` });
}
