import { setTimeout as sleep } from 'node:timers/promises';
import { carrelError } from '../domain/error/error.js';
import type { Task, TaskRecord } from '../domain/task/task.js';
import { ACTIVE_STATUSES, isUnfinished } from '../domain/task/task-state.js';
import type { Context } from '../operations/context.js';
import type { CancelOptions } from '../operations/task/fleet-tasks.js';
import { flushTaskWebhooks } from './log/task-webhooks.js';
import { findCurrentTask, isOnFleet } from './record/current-task.js';
import { findTask } from './record/find-task.js';
import { describeTask, type TaskQuery } from './record/show-task.js';
import { stopTask } from './record/stop-task.js';
import { taskEvent } from './record/task-event.js';
import { hasLivingOwner } from './record/task-owner.js';
import { recoverAbandonedTask } from './recovery/recover-abandoned-task.js';

export interface CancelInput extends TaskQuery {
  /** Milliseconds to wait for its process to stop it. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Killing all processes of an agent takes seconds, and stopping a container takes longer. */
const LONGEST_ENDING_MS = 60_000;

/**
 * Cancels a task and returns it in its final state, which may be another one when it was about to end; or in its current state, when its
 * process has not stopped it in time. Its work stays where it is. TASK_BUSY when it has ended already.
 */
export async function cancelTask(context: Context, input: CancelInput): Promise<Task> {
  const { timeoutMs = LONGEST_ENDING_MS, signal } = input;
  const deadline = performance.now() + timeoutMs;
  const first = await findCurrentTask(context, input.id);
  if (!isCancellable(first))
    throw carrelError('TASK_BUSY', { id: first.id, status: first.status, wanted: 'cancelled' });
  if (isOnFleet(first)) return cancelOnFleet(context, first, { timeoutMs, signal });
  for (let task = first; ; task = await findTask(context, first.id)) {
    const ended = isCancellable(task) ? await cancelNow(context, task) : task;
    // Otherwise the process that ran it sends them.
    if (ended && first.owner === null) await flushTaskWebhooks(context, first.id);
    if (ended) return describeTask(context, ended);
    if (performance.now() > deadline || signal?.aborted) return describeTask(context, task);
    await sleep(50, undefined, signal && { signal }).catch(() => undefined);
  }
}

/** Its process may be on another machine, and its work comes back. */
async function cancelOnFleet(context: Context, task: TaskRecord, options: CancelOptions): Promise<Task> {
  const ended = await (await context.fleetTasks()).cancel(task, options);
  await flushTaskWebhooks(context, task.id);
  return describeTask(context, ended);
}

const isCancellable = ({ status }: TaskRecord): boolean => isUnfinished(status) || status === 'interrupted';

/** Undefined when its process must do it, or the task has changed meanwhile. */
async function cancelNow(context: Context, task: TaskRecord): Promise<TaskRecord | undefined> {
  if (task.owner === null) return stopTask(context, task, 'cancelled');
  const cancelRequestedAt = task.cancelRequestedAt ?? new Date(context.now()).toISOString();
  if (!hasLivingOwner(task, context.now()))
    return recoverAbandonedTask(context, { ...task, cancelRequestedAt });
  if (task.cancelRequestedAt === null) {
    const expected = { statuses: ACTIVE_STATUSES, owner: task.owner };
    const events = [taskEvent(task, 'task.cancel-requested')];
    await context.store.tasks.update(task.id, expected, { cancelRequestedAt }, events);
  }
  return undefined;
}
