import type { CarrelEvent } from '../domain/event.js';

/** What happens, from one look into the store for all who listen. */
export interface EventHub {
  /**
   * Events after `after`, then what comes: for all from now on when it is left out, for one task from its first event to
   * its end. Ends by the signal. However slowly a listener takes them, it gets all, and nothing waits for it in memory.
   */
  follow(options: {
    readonly after: number | undefined;
    readonly taskId?: string | undefined;
    readonly signal: AbortSignal;
  }): AsyncIterable<CarrelEvent>;
  /** How many listen now. */
  readonly listeners: number;
  close(): Promise<void>;
}
