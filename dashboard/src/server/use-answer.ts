import { useCallback, useEffect, useRef, useState } from 'react';
import type { CarrelEvent } from '../../../src/domain/event.js';
import type { CarrelClient } from '../../../src/surfaces/client/carrel-client.js';
import { createRefresher, type Refresher } from './refresher.js';
import { useServer } from './server-provider.js';

export interface Question<T> {
  /** Identifies the request; another key is another request. */
  readonly key: string;
  readonly load: (client: CarrelClient, signal: AbortSignal) => Promise<T>;
  /** Whether this event changes the response. */
  readonly changesWith?: ((event: CarrelEvent) => boolean) | undefined;
  /** For changes without events. */
  readonly everyMs?: number | undefined;
  /** The request is expensive: events cause it no more often than polling would. */
  readonly isCostly?: boolean | undefined;
  /** How old a response of the server may be. */
  readonly oldestMs?: number | undefined;
}

/** The last good response stays next to an error, so that nothing on the page jumps. */
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

/** Requests from the server, and again when an event changes the response. */
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
