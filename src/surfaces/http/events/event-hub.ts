import type { CarrelEvent } from '../../../domain/event.js';

/** Events, read once from the store for all listeners. */
export interface EventHub {
  /**
   * Events after `after`, then new ones. Without `after`: from now on, or for a task from its first event to its last.
   * Stops on the signal. A slow listener gets all events, and none of them wait for it in memory.
   */
  follow(options: {
    readonly after: number | undefined;
    readonly taskId?: string | undefined;
    readonly signal: AbortSignal;
  }): AsyncIterable<CarrelEvent>;
  /** The number of current listeners. */
  readonly listeners: number;
  close(): Promise<void>;
}
