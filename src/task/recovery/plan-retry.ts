import type { TaskLimits } from '../../domain/agent/agent.js';
import type { TaskPlan, TaskRecord } from '../../domain/task/task.js';
import type { WorkflowDefinition } from '../../domain/workflow/workflow.js';
import type { Context } from '../../operations/context.js';
import { strictestLimits } from '../queue/strictest-limits.js';

/** New limits for a retried task. Omitted ones stay unchanged. */
export interface RetryLimits {
  /** Time limit in milliseconds for the whole task, and for a stage that exceeded its own limit. */
  readonly timeoutMs?: number | undefined;
  /** For the whole task: earlier usage counts. */
  readonly limits?: TaskLimits | undefined;
}

/** These take precedence over the task's original limits, but not over the current configuration. */
export async function planRetry(
  context: Pick<Context, 'loadConfig' | 'narrate'>,
  task: TaskRecord,
  { timeoutMs, limits = {} }: RetryLimits,
): Promise<TaskPlan> {
  const { plan, repository } = task;
  const { config } = await context.loadConfig(repository);
  const allowed = strictestLimits({ ...plan.limits, ...limits }, config.tasks.limits);
  for (const key of ['tokens', 'costUsd'] as const) {
    if (limits[key] !== undefined && limits[key] !== allowed[key])
      context.narrate(`warning: tasks.limits.${key} in your configuration applies: ${allowed[key]}`);
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
