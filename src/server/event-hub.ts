import type { CarrelEvent } from '../domain/event.js';

/** What happens, from one look into the store for all who listen. */
export interface EventHub {
  /**
   * Events after `after`, then what comes. Ends by the signal, or when the listener is too slow for what comes: its client
   * connects again and goes on after the last one that it saw.
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
