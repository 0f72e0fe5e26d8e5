import { setTimeout as sleep } from 'node:timers/promises';
import type { CarrelEvent } from '../../../domain/event.js';
import type { EventTable } from '../../../store/store.js';
import { createBell } from './wake-signal.js';

/** How often the store is read while there are listeners. */
const LOOK_MS = 100;
const PAUSE_AFTER_TROUBLE_MS = 1_000;
const MOST_AT_ONCE = 500;
/** Events kept in memory for all; a listener that is further behind reads from the store. */
const MOST_AT_HAND = 2_000;

export interface EventBatch {
  readonly events: readonly CarrelEvent[];
  /** There are no events between the last one and this. */
  readonly position: number;
  /** There are more events already. */
  readonly hasMore: boolean;
}

/** The newest events, read once for all listeners. The store is only read while there are listeners. */
export interface RecentEvents {
  readonly listeners: number;
  enter(): void;
  leave(): void;
  /** Events after a position: from memory, or from the store for an earlier position. */
  take(position: number, taskId: string | undefined): Promise<EventBatch>;
  /** The same from the store, including events that are not in memory yet. */
  takeNewest(position: number, taskId: string | undefined): Promise<EventBatch>;
  /** A number that changes when there may be more events. */
  readonly age: number;
  /** Waits until the age differs from `seen`, or for the signal. */
  wait(seen: number, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

export function openRecentEvents(store: EventTable, onTrouble: (error: unknown) => void): RecentEvents {
  const closing = new AbortController();
  const bell = createBell();
  const atHand: CarrelEvent[] = [];
  // All events above `from` up to `last` are in memory.
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
    // A listener that waits since before that may have missed events.
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

  const takeNewest = async (position: number, taskId: string | undefined): Promise<EventBatch> => {
    const upTo = last;
    const filter = taskId === undefined ? {} : { taskId };
    const events = await store.list({ ...filter, after: position, limit: MOST_AT_ONCE });
    const reached = events.at(-1)?.sequence ?? position;
    const hasMore = events.length === MOST_AT_ONCE;
    return { events, position: hasMore ? reached : Math.max(reached, upTo), hasMore };
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
        // Most listeners have seen all but the last few.
        const seen = atHand.findLastIndex(event => event.sequence <= position);
        const events = atHand.slice(seen + 1).filter(event => isOf(event, taskId));
        return { events, position: upTo, hasMore: false };
      }
      return takeNewest(position, taskId);
    },
    takeNewest,
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
