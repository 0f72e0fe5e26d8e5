import { useCallback, useEffect, useRef, useState } from 'react';
import type { CarrelClient } from '../../../src/client/carrel-client.js';
import type { CarrelEvent } from '../../../src/domain/event.js';
import { createRefresher, type Refresher } from './refresher.js';
import { useServer } from './server-provider.js';

export interface Question<T> {
  /** Names what is asked for; another key is another question. */
  readonly key: string;
  readonly load: (client: CarrelClient, signal: AbortSignal) => Promise<T>;
  /** Whether the answer is another one after this event. */
  readonly changesWith?: ((event: CarrelEvent) => boolean) | undefined;
  /** For what no event tells of. */
  readonly everyMs?: number | undefined;
  /** Takes the server long: events bring it no more often than a poll would. */
  readonly isCostly?: boolean | undefined;
  /** How old an answer of the server may be. */
  readonly oldestMs?: number | undefined;
}

/** The last good answer stays beside an error, so that nothing on the page jumps. */
export interface Answer<T> {
  readonly data: T | undefined;
  readonly error: Error | undefined;
  readonly isLoading: boolean;
  readonly refresh: () => void;
}

interface Held<T> {
  readonly key: string;
  readonly data?: T | undefined;
  readonly error?: Error | undefined;
  readonly isLoading: boolean;
}

/** Asks the server, and asks again when an event says that the answer has changed. */
export function useAnswer<T>(question: Question<T>): Answer<T> {
  const { client, live } = useServer();
  const { key } = question;
  const latest = useRef(question);
  latest.current = question;
  const refresher = useRef<Refresher>(undefined);
  const [held, setHeld] = useState<Held<T>>({ key, isLoading: true });

  useEffect(() => {
    const { everyMs, isCostly, oldestMs } = latest.current;
    const load = async (signal: AbortSignal) => {
      setHeld(before => (before.key === key ? { ...before, isLoading: true } : { key, isLoading: true }));
      const result = await settle(latest.current.load(client, signal));
      if (signal.aborted) return;
      setHeld(before => ({ key, data: before.data, error: undefined, ...result, isLoading: false }));
    };
    const own = createRefresher(load, { everyMs, isCostly, oldestMs, isHidden: () => document.hidden });
    refresher.current = own;
    const stopListening = live.listen({
      onEvent: event => latest.current.changesWith?.(event) && own.soon(),
      onOpen: own.soon,
    });
    own.now();
    return () => {
      stopListening();
      own.close();
    };
  }, [client, live, key]);

  const refresh = useCallback(() => refresher.current?.now(), []);
  const { data, error, isLoading } = held.key === key ? held : { isLoading: true };
  return { data, error, isLoading, refresh };
}

async function settle<T>(promise: Promise<T>): Promise<{ data: T } | { error: Error }> {
  try {
    return { data: await promise };
  } catch (error) {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }
}
