import { setTimeout as sleep } from 'node:timers/promises';
import { carrelError } from '../domain/error.js';
import type { Task, TaskRecord } from '../domain/task.js';
import { ACTIVE_STATUSES, isActive } from '../domain/task-state.js';
import type { Context } from '../operations/context.js';
import { findTask } from './find-task.js';
import { settleForsaken } from './settle-forsaken.js';
import { describeTask, type TaskQuery } from './show-task.js';
import { stopTask } from './stop-task.js';
import { taskEvent } from './task-event.js';
import { hasLivingOwner } from './task-owner.js';

export interface CancelInput extends TaskQuery {
  /** Milliseconds to wait until its process has ended it. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Ending everything that an agent started takes seconds, and stopping a container some more. */
const LONGEST_ENDING_MS = 60_000;

/**
 * Cancels a task and gives it as it ended, which may be otherwise when its end was near; or as it still is, when its
 * process has not ended it in time. What was done stays where it is. TASK_BUSY when it has ended already.
 */
export async function cancelTask(context: Context, input: CancelInput): Promise<Task> {
  const { timeoutMs = LONGEST_ENDING_MS, signal } = input;
  const deadline = performance.now() + timeoutMs;
  const first = await findTask(context, input.id);
  if (!isCancellable(first))
    throw carrelError('TASK_BUSY', { id: first.id, status: first.status, wanted: 'cancelled' });
  for (let task = first; ; task = await findTask(context, first.id)) {
    const ended = isCancellable(task) ? await cancelNow(context, task) : task;
    if (ended) return describeTask(context, ended);
    if (performance.now() > deadline || signal?.aborted) return describeTask(context, task);
    await sleep(50, undefined, signal && { signal }).catch(() => undefined);
  }
}

const isCancellable = ({ status }: TaskRecord): boolean => isActive(status) || status === 'interrupted';

/** Undefined when that is up to its process, or the task has changed meanwhile. */
async function cancelNow(context: Context, task: TaskRecord): Promise<TaskRecord | undefined> {
  if (task.owner === null) return stopTask(context, task, 'cancelled');
  const cancelRequestedAt = task.cancelRequestedAt ?? new Date(context.now()).toISOString();
  if (!hasLivingOwner(task, context.now())) return settleForsaken(context, { ...task, cancelRequestedAt });
  if (task.cancelRequestedAt === null) {
    const expected = { statuses: ACTIVE_STATUSES, owner: task.owner };
    const events = [taskEvent(task, 'task.cancel-requested')];
    await context.store.tasks.update(task.id, expected, { cancelRequestedAt }, events);
  }
  return undefined;
}
