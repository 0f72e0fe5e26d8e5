import { setTimeout as sleep } from 'node:timers/promises';
import type { CarrelEvent } from '../domain/event.js';
import type { EventTable } from '../store/store.js';
import { createBell } from './bell.js';

/** How often the store is looked into while somebody listens. */
const LOOK_MS = 100;
const PAUSE_AFTER_TROUBLE_MS = 1_000;
const MOST_AT_ONCE = 500;
/** What is kept at hand for all; who is further behind reads from the store and takes no memory. */
const MOST_AT_HAND = 2_000;

export interface EventBatch {
  readonly events: readonly CarrelEvent[];
  /** There is nothing between the last event and this. */
  readonly position: number;
  /** More is there already. */
  readonly hasMore: boolean;
}

/** The newest events, read once for all who listen. The store is only looked into while somebody does. */
export interface RecentEvents {
  readonly listeners: number;
  enter(): void;
  leave(): void;
  /** What comes after a position: from those at hand or, when it lies before them, from the store. */
  take(position: number, taskId: string | undefined): Promise<EventBatch>;
  /** A number that is another one when there may be more. */
  readonly age: number;
  /** Until the age is another than `seen`, or the signal. */
  wait(seen: number, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

export function openRecentEvents(store: EventTable, onTrouble: (error: unknown) => void): RecentEvents {
  const closing = new AbortController();
  const bell = createBell();
  const atHand: CarrelEvent[] = [];
  // All events above `from` up to `last` are at hand.
  let [from, last] = [0, 0];
  let listeners = 0;
  let reading: Promise<void> | undefined;
  const isWanted = () => listeners > 0 && !closing.signal.aborted;
  const pause = (milliseconds: number) =>
    sleep(milliseconds, undefined, { signal: closing.signal }).catch(() => undefined);

  const add = (events: readonly CarrelEvent[]): void => {
    atHand.push(...events);
    last = events.at(-1)?.sequence ?? last;
    const dropped = atHand.splice(0, Math.max(0, atHand.length - MOST_AT_HAND));
    from = dropped.at(-1)?.sequence ?? from;
    if (events.length > 0) bell.ring();
  };
  const readOn = async (): Promise<void> => {
    const newest = await store.last();
    from = last = newest;
    atHand.length = 0;
    // Who has waited since before that may have missed something.
    bell.ring();
    while (isWanted()) {
      const events = await store.list({ after: last, limit: MOST_AT_ONCE });
      add(events);
      if (events.length < MOST_AT_ONCE) await pause(LOOK_MS);
    }
  };
  const keepReading = async (): Promise<void> => {
    while (isWanted()) {
      await readOn().catch(async error => {
        onTrouble(error);
        await pause(PAUSE_AFTER_TROUBLE_MS);
      });
    }
    reading = undefined;
  };

  return {
    get listeners() {
      return listeners;
    },
    enter() {
      listeners += 1;
      reading ??= keepReading();
    },
    leave() {
      listeners -= 1;
    },
    async take(position, taskId) {
      const upTo = last;
      if (position >= from && position <= upTo) {
        // Most who ask have seen all but the last few.
        const seen = atHand.findLastIndex(event => event.sequence <= position);
        const events = atHand.slice(seen + 1).filter(event => isOf(event, taskId));
        return { events, position: upTo, hasMore: false };
      }
      const filter = taskId === undefined ? {} : { taskId };
      const events = await store.list({ ...filter, after: position, limit: MOST_AT_ONCE });
      const reached = events.at(-1)?.sequence ?? position;
      const hasMore = events.length === MOST_AT_ONCE;
      return { events, position: hasMore ? reached : Math.max(reached, upTo), hasMore };
    },
    get age() {
      return bell.count;
    },
    wait: (seen, signal) => bell.wait(seen, signal),
    async close() {
      closing.abort();
      await reading;
    },
  };
}

const isOf = (event: CarrelEvent, taskId: string | undefined): boolean =>
  taskId === undefined || event.taskId === taskId;
