import type { CarrelEvent } from '../domain/event.js';
import { isActive } from '../domain/task-state.js';
import type { Store } from '../store/store.js';
import type { EventHub } from './event-hub.js';
import { openRecentEvents, type RecentEvents } from './recent-events.js';

export interface EventHubOptions {
  readonly store: Pick<Store, 'events' | 'tasks'>;
  /** Told when the store could not be read; it is tried again. */
  readonly onTrouble: (error: unknown) => void;
}

/**
 * One reader of the store's events for all who listen. Listeners pull: each has a position of its own, is woken when there
 * is more, and takes what comes after its position. So a slow one costs nothing, and nobody misses anything.
 */
export function openEventHub({ store, onTrouble }: EventHubOptions): EventHub {
  const closing = new AbortController();
  const recent = openRecentEvents(store.events, onTrouble);
  return {
    follow({ after, taskId, signal }) {
      // Now, not when the first event is asked for: what happens in between must not be missed.
      const start = Promise.resolve(after ?? (taskId === undefined ? store.events.last() : 0));
      // Told to whoever iterates; nobody may ever do.
      start.catch(() => undefined);
      const isOver = async () => taskId !== undefined && !(await isGoingOn(store, taskId));
      const end = AbortSignal.any([signal, closing.signal]);
      return follow(recent, { start, taskId, isOver, signal: end });
    },
    get listeners() {
      return recent.listeners;
    },
    close() {
      closing.abort();
      return recent.close();
    },
  };
}

interface Listener {
  readonly start: Promise<number>;
  readonly taskId: string | undefined;
  readonly isOver: () => Promise<boolean>;
  readonly signal: AbortSignal;
}

async function* follow(
  recent: RecentEvents,
  { start, taskId, isOver, signal }: Listener,
): AsyncGenerator<CarrelEvent, void, void> {
  recent.enter();
  try {
    let position = await start;
    let mayBeOver = true;
    while (!signal.aborted) {
      const { age } = recent;
      // Before the events are read: what its end has told is then among them.
      const over: boolean = mayBeOver && (await isOver());
      const { events, ...batch } = await recent.take(position, taskId);
      for (const event of events) {
        if (signal.aborted) return;
        yield event;
      }
      position = batch.position;
      if (over && !batch.hasMore) return;
      // A task does not end without telling: it is looked up at the start and after events of its own.
      mayBeOver = events.length > 0 || over;
      if (events.length === 0) await recent.wait(age, signal);
    }
  } finally {
    recent.leave();
  }
}

async function isGoingOn({ tasks }: Pick<Store, 'tasks'>, id: string): Promise<boolean> {
  const task = await tasks.find(id);
  return task !== undefined && isActive(task.status);
}
