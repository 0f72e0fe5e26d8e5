import type { Failure } from '../domain/failure.js';
import type { TaskRecord } from '../domain/task.js';
import { endRun, stopStages, type TaskEnding } from '../domain/task-state.js';
import type { Ending, Execution } from './execution.js';
import type { TaskEvent } from './held-task.js';

const STATUS = { done: 'succeeded', failed: 'failed', cancelled: 'cancelled' } as const;

/**
 * Ends the task as the work went, and with it the stages that were running when that broke off. From here on it is
 * nobody's; only its workspace is left to see to (finish-work.ts).
 */
export async function endTask({ context, task }: Execution, ending: Ending): Promise<TaskRecord> {
  const at = new Date(context.now()).toISOString();
  const status = STATUS[ending.kind];
  const failure = ending.kind === 'failed' ? ending.failure : undefined;
  const told = failure ? { kind: failure.kind, message: failure.message } : {};
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
    ...listStopped(task.current(), status, told),
    { type: `task.${status}`, data: told },
  );
  context.onStep('task', 'ended');
  return ended;
}

function listStopped(
  { stages }: TaskRecord,
  status: TaskEnding,
  told: Partial<Pick<Failure, 'kind' | 'message'>>,
): TaskEvent[] {
  const running = stages.filter(stage => stage.status === 'running');
  return running.map(({ name }) => ({ type: `stage.${status}`, data: { stage: name, ...told } }));
}
