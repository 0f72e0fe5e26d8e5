import type { Failure } from '../domain/failure.js';
import type { WorkflowStage } from '../domain/workflow.js';
import { findTime, moreTime } from './attempt-time.js';
import type { Execution } from './execution.js';

/** Why no agent is started for a stage: the task has no time left, or has used what it may. A retry that allows no more ends here. */
export function refuseAttempt(execution: Execution, stage: WorkflowStage): Failure | undefined {
  const { task, budget } = execution;
  const { id, plan } = task.current();
  const told = (message: string, hint: string): Failure => ({
    kind: 'limit',
    stage: stage.name,
    message: `${message}; no agent was started`,
    hint,
    output: null,
  });
  const exceeded = budget.exceeded();
  if (exceeded !== undefined) return told(exceeded, allowMore(id));
  if (findTime(execution, stage).leftMs > 0) return undefined;
  return told('the time of the whole task is over', moreTime(id, plan.timeoutMs ?? 0));
}

export const allowMore = (taskId: string): string =>
  `allow all of it more with: carrel task retry ${taskId} --token-limit N, or --cost-limit USD`;
