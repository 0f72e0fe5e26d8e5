import { setTimeout as sleep } from 'node:timers/promises';
import type { CarrelEvent } from '../../domain/event.js';
import { isActive } from '../../domain/task/task-state.js';
import type { Context } from '../../operations/context.js';
import { isAbandonedTask } from '../record/task-owner.js';
import { recoverAbandonedTask } from '../recovery/recover-abandoned-task.js';

export interface TaskEventsInput {
  /** Streams the events of this task, from first to last; without it, all new events. */
  readonly taskId?: string | undefined;
  /** The sequence number of the last event seen. */
  readonly after?: number | undefined;
  /** Stops it without an error. */
  readonly signal?: AbortSignal | undefined;
}

const SHORTEST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 500;
const MOST_AT_ONCE = 200;

/** Events in order, as they happen. For one task the stream ends with the task; a later retry needs another call. */
export function taskEvents(context: Context, input: TaskEventsInput): AsyncIterable<CarrelEvent> {
  // Starts now, not when the first event is requested: events in between must not be missed.
  const start = input.after ?? (input.taskId === undefined ? context.store.events.last() : 0);
  // Reported to the consumer; there may never be one.
  Promise.resolve(start).catch(() => undefined);
  return follow(context, input, start);
}

async function* follow(
  context: Context,
  { taskId, signal }: TaskEventsInput,
  start: number | Promise<number>,
): AsyncGenerator<CarrelEvent, void, void> {
  const filter = taskId === undefined ? {} : { taskId };
  let after = await start;
  let pauseMs = SHORTEST_PAUSE_MS;
  while (!signal?.aborted) {
    // Checked before the events are read, so that the final events are included.
    const isOver = taskId !== undefined && !(await isActiveTask(context, taskId));
    const events = await context.store.events.list({ ...filter, after, limit: MOST_AT_ONCE });
    for (const event of events) {
      if (signal?.aborted) return;
      after = event.sequence;
      yield event;
    }
    if (events.length > 0) pauseMs = SHORTEST_PAUSE_MS;
    if (events.length === MOST_AT_ONCE) continue;
    if (isOver) return;
    await sleep(pauseMs, undefined, signal && { signal }).catch(() => undefined);
    pauseMs = Math.min(pauseMs * 1.5, LONGEST_PAUSE_MS);
  }
}

/** No other process may notice that the task's process died, so the watcher checks. */
async function isActiveTask(context: Context, id: string): Promise<boolean> {
  const task = await context.store.tasks.find(id);
  if (!task || !isActive(task.status)) return false;
  if (isAbandonedTask(task, context.now())) await recoverAbandonedTask(context, task).catch(() => undefined);
  return true;
}
