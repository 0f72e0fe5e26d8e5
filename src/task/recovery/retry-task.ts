import { carrelError } from '../../domain/error/error.js';
import type { Task, TaskRecord } from '../../domain/task/task.js';
import { canRetry, resetStages } from '../../domain/task/task-state.js';
import type { Context } from '../../operations/context.js';
import { findCurrentTask } from '../record/current-task.js';
import { findTask } from '../record/find-task.js';
import { describeTask, type TaskQuery } from '../record/show-task.js';
import { taskEvent } from '../record/task-event.js';
import { isAbandonedTask, type Taker } from '../record/task-owner.js';
import { planRetry, type RetryLimits } from './plan-retry.js';
import { recoverAbandonedTask } from './recover-abandoned-task.js';
import { requeueTask, reservePlace } from './requeue-task.js';

/** Which task to retry, with new limits. */
export interface RetryInput extends TaskQuery, RetryLimits {
  readonly taker?: Taker;
}

/**
 * Puts a failed, cancelled or interrupted task back in the queue; finished stages stay finished. The caller
 * then executes it. TASK_BUSY for any other task, and when the work of its stages no longer exists.
 */
export async function retryTask(context: Context, input: RetryInput): Promise<Task> {
  const found = await findCurrentTask(context, input.id);
  const task = isAbandonedTask(found, context.now())
    ? ((await recoverAbandonedTask(context, found)) ?? (await findTask(context, found.id)))
    : found;
  if (!canRetry(task.status)) throw refuse(task);
  const stages = resetStages(task.stages, task.failure);
  const plan = await planRetry(context, task, input);
  const patch = await requeueTask(context, task, { stages, plan, taker: input.taker });
  const expected = { statuses: [task.status], owner: null };
  const events = [taskEvent(task, 'task.retried', { from: task.status })];
  const waiting = await reservePlace(context, { ...task, ...patch }, place =>
    context.store.tasks.update(task.id, expected, { ...patch, ...place, cancelRequestedAt: null }, events),
  );
  if (waiting) return describeTask(context, waiting);
  throw refuse(await findTask(context, task.id));
}

const refuse = ({ id, status }: TaskRecord): Error =>
  carrelError('TASK_BUSY', { id, status, wanted: 'retried' });
