import { setTimeout as sleep } from 'node:timers/promises';
import type { CarrelEvent } from '../domain/event.js';
import { isActive } from '../domain/task-state.js';
import type { Context } from '../operations/context.js';
import { settleForsaken } from './settle-forsaken.js';
import { isForsaken } from './task-owner.js';

export interface TaskEventsInput {
  /** The events of one task, from its first to its last; all that happens from now on when left out. */
  readonly taskId?: string | undefined;
  /** The sequence of the last event that was seen. */
  readonly after?: number | undefined;
  /** Ends it, quietly. */
  readonly signal?: AbortSignal | undefined;
}

const SHORTEST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 500;
const MOST_AT_ONCE = 200;

/** What happens, in order, as it happens. For one task it ends with the task; a retry after that is another call. */
export function taskEvents(context: Context, input: TaskEventsInput): AsyncIterable<CarrelEvent> {
  // Now, not when the first event is asked for: what happens in between must not be missed.
  const start = input.after ?? (input.taskId === undefined ? context.store.events.last() : 0);
  // Told to whoever iterates; nobody may ever do.
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
    // Before the events are read: what its end has told is then among them.
    const isOver = taskId !== undefined && !(await isGoingOn(context, taskId));
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

/** Nobody else may be there to notice that the task's process died, so whoever looks on does. */
async function isGoingOn(context: Context, id: string): Promise<boolean> {
  const task = await context.store.tasks.find(id);
  if (!task || !isActive(task.status)) return false;
  if (isForsaken(task, context.now())) await settleForsaken(context, task).catch(() => undefined);
  return true;
}
