import type { Failure } from '../../domain/task/failure.js';
import type { TaskRecord } from '../../domain/task/task.js';
import { endRun, stopStages, type TaskEnding } from '../../domain/task/task-state.js';
import type { Ending, Execution, Gated } from '../execution.js';
import type { TaskEvent } from '../record/held-task.js';

const STATUS = { done: 'succeeded', failed: 'failed', cancelled: 'cancelled' } as const;

/**
 * Ends the task with the result of the work, and with it the stages that were running. From here on it has
 * no owner; only its workspace is left to clean up (clean-up-task.ts).
 */
export async function endTask(
  { context, task }: Execution,
  ending: Exclude<Ending, Gated>,
): Promise<TaskRecord> {
  const at = new Date(context.now()).toISOString();
  const status = STATUS[ending.kind];
  const failure = ending.kind === 'failed' ? ending.failure : undefined;
  const reason = failure ? { kind: failure.kind, message: failure.message } : {};
  const ended = await task.change(
    ({ runs, stages }) => ({
      status,
      endedAt: at,
      owner: null,
      heartbeatAt: null,
      cancelRequestedAt: null,
      runs: endRun(runs, status, at),
      stages: status === 'succeeded' ? stages : stopStages(stages, status, at, failure),
      ...(failure ? { failure } : {}),
    }),
    ...listStopped(task.current(), status, reason),
    { type: `task.${status}`, data: reason },
  );
  context.onStep('task', 'ended');
  return ended;
}

function listStopped(
  { stages }: TaskRecord,
  status: TaskEnding,
  reason: Partial<Pick<Failure, 'kind' | 'message'>>,
): TaskEvent[] {
  const running = stages.filter(stage => stage.status === 'running');
  return running.map(({ name }) => ({ type: `stage.${status}`, data: { stage: name, ...reason } }));
}
