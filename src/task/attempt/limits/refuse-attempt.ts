import type { Failure } from '../../../domain/task/failure.js';
import type { WorkflowStage } from '../../../domain/workflow/workflow.js';
import type { Execution } from '../../execution.js';
import { findTime, moreTime } from './attempt-time.js';

/** Why no agent is started for a stage: the task has no time or budget left. A retry without higher limits stops here. */
export function findExhaustedLimit(execution: Execution, stage: WorkflowStage): Failure | undefined {
  const { task, budget } = execution;
  const { id, plan } = task.current();
  const limitFailure = (message: string, hint: string): Failure => ({
    kind: 'limit',
    stage: stage.name,
    message: `${message}; no agent was started`,
    hint,
    output: null,
  });
  const exceeded = budget.exceeded();
  if (exceeded !== undefined) return limitFailure(exceeded, allowMore(id));
  if (findTime(execution, stage).leftMs > 0) return undefined;
  return limitFailure('the time limit of the task is reached', moreTime(id, plan.timeoutMs ?? 0));
}

export const allowMore = (taskId: string): string =>
  `raise the limit with: carrel task retry ${taskId} --token-limit N, or --cost-limit USD`;
