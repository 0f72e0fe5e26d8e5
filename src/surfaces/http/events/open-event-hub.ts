import type { CarrelEvent } from '../../../domain/event.js';
import { isActive } from '../../../domain/task/task-state.js';
import type { Store } from '../../../store/store.js';
import type { EventHub } from './event-hub.js';
import { openRecentEvents, type RecentEvents } from './recent-events.js';

export interface EventHubOptions {
  readonly store: Pick<Store, 'events' | 'tasks'>;
  /** Called when the store cannot be read; reading is retried. */
  readonly onTrouble: (error: unknown) => void;
}

/**
 * One reader of the store's events for all listeners. Listeners pull: each has its own position, is woken when there are
 * new events, and reads those after its position. So a slow listener costs nothing and misses nothing.
 */
export function openEventHub({ store, onTrouble }: EventHubOptions): EventHub {
  const closing = new AbortController();
  const recent = openRecentEvents(store.events, onTrouble);
  return {
    follow({ after, taskId, signal }) {
      // Now, not at the first read: events in between must not be missed.
      const start = Promise.resolve(after ?? (taskId === undefined ? store.events.last() : 0));
      // The iterator gets the error, but there may never be one.
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
      // Before the events are read, so that they include its last event.
      const over: boolean = mayBeOver && (await isOver());
      const { events, ...batch } = await (over ? recent.takeNewest : recent.take)(position, taskId);
      for (const event of events) {
        if (signal.aborted) return;
        yield event;
      }
      position = batch.position;
      if (over && !batch.hasMore) return;
      // A task never stops without an event: look it up at the start and after its own events.
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
