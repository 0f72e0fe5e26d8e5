import type { CarrelEvent } from '../../../src/domain/event.js';
import type { CarrelClient } from '../../../src/surfaces/client/carrel-client.js';
import { doWhileVisible } from './do-while-visible.js';

export interface LiveListener {
  readonly onEvent: (event: CarrelEvent) => void;
  /** The stream was opened or reopened: anything may have changed before. */
  readonly onOpen: () => void;
}

/** The server's events, from one stream for the whole page. */
export interface LiveEvents {
  /** Returns a function that unsubscribes. */
  listen(listener: LiveListener): () => void;
  /** Returns a function that unsubscribes. */
  start(): () => void;
  /** Called when the stream has connected. */
  opened(): void;
}

/** After a response that is not a stream, such as from an overloaded server. */
const PAUSE_MS = 5_000;

export function createLiveEvents(client: () => CarrelClient): LiveEvents {
  const listeners = new Set<LiveListener>();
  const tell = (event: CarrelEvent) => {
    for (const listener of listeners) listener.onEvent(event);
  };
  return {
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    start: () => doWhileVisible(signal => readEvents(client(), signal, tell)),
    opened() {
      for (const listener of listeners) listener.onOpen();
    },
  };
}

async function readEvents(
  client: CarrelClient,
  signal: AbortSignal,
  tell: (event: CarrelEvent) => void,
): Promise<void> {
  while (!signal.aborted) {
    try {
      for await (const event of client.events({ signal })) tell(event);
    } catch {
      // The request itself has already updated the connection state; the stream is requested again.
    }
    await pause(PAUSE_MS, signal);
  }
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
