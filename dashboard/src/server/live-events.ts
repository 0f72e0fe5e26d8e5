import type { CarrelClient } from '../../../src/client/carrel-client.js';
import type { CarrelEvent } from '../../../src/domain/event.js';
import { doWhileVisible } from './do-while-visible.js';

export interface LiveListener {
  readonly onEvent: (event: CarrelEvent) => void;
  /** The stream is open, for the first time or again: anything may have changed before. */
  readonly onOpen: () => void;
}

/** What happens on the server, from one stream for the whole page. */
export interface LiveEvents {
  /** Gives what ends it. */
  listen(listener: LiveListener): () => void;
  /** Gives what ends it. */
  start(): () => void;
  /** Called when a connection of the stream was made. */
  opened(): void;
}

/** After an answer that is no stream, such as that of a server that is overloaded. */
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
      // The connection has been told by the request itself; the stream is asked for again.
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
