import type { TaskLimits } from '../domain/agent.js';
import type { TaskPlan, TaskRecord } from '../domain/task.js';
import type { WorkflowDefinition } from '../domain/workflow.js';
import type { Context } from '../operations/context.js';
import { strictestLimits } from './strictest-limits.js';

/** What a person allows a task that is tried again. What is left out stays as it was. */
export interface RetryWishes {
  /** Milliseconds for all of it, and for a stage that ran out of its own time. */
  readonly timeoutMs?: number | undefined;
  /** Of the whole task: what it has used before is counted. */
  readonly limits?: TaskLimits | undefined;
}

/** The person's word is stronger than what the task was made with, but not than the user's configuration as it is now. */
export async function planRetry(
  context: Context,
  task: TaskRecord,
  { timeoutMs, limits = {} }: RetryWishes,
): Promise<TaskPlan> {
  const { plan, repository } = task;
  const { config } = await context.loadConfig(repository);
  const allowed = strictestLimits({ ...plan.limits, ...limits }, config.tasks.limits);
  for (const key of ['tokens', 'costUsd'] as const) {
    if (limits[key] !== undefined && limits[key] !== allowed[key])
      context.narrate(`warning: tasks.limits.${key} of your configuration holds: ${allowed[key]}`);
  }
  const planned = { ...plan, limits: allowed };
  return timeoutMs === undefined
    ? planned
    : { ...planned, timeoutMs, workflow: giveTime(task, plan.workflow, timeoutMs) };
}

function giveTime(task: TaskRecord, workflow: WorkflowDefinition, timeoutMs: number): WorkflowDefinition {
  const late = task.stages.filter(
    ({ failure, previousFailure }) => (failure ?? previousFailure)?.kind === 'timed-out',
  );
  const isLate = (name: string) => late.some(stage => stage.name === name);
  return {
    ...workflow,
    stages: workflow.stages.map(stage =>
      isLate(stage.name) ? { ...stage, timeout: `${timeoutMs}ms` } : stage,
    ),
  };
}
