import { useCallback, useState } from 'react';
import type { CarrelClient } from '../../../src/client/carrel-client.js';
import { useServer } from './server-provider.js';

/** Something that the user asked the server to do, and how it went. */
export type ActionState<T> =
  | { readonly step: 'idle' }
  | { readonly step: 'busy' }
  | { readonly step: 'done'; readonly result: T }
  | { readonly step: 'failed'; readonly error: Error };

export interface Action<T> {
  readonly state: ActionState<T>;
  /** A second start while one is under way does nothing. */
  readonly start: (perform: (client: CarrelClient) => Promise<T>) => void;
}

/** Goes to its end even when the page is left: what was begun on the server is not half done. */
export function useAction<T>(): Action<T> {
  const { client } = useServer();
  const [state, setState] = useState<ActionState<T>>({ step: 'idle' });
  const isBusy = state.step === 'busy';
  const start = useCallback(
    (perform: (client: CarrelClient) => Promise<T>) => {
      if (isBusy) return;
      setState({ step: 'busy' });
      perform(client).then(
        result => setState({ step: 'done', result }),
        error =>
          setState({ step: 'failed', error: error instanceof Error ? error : new Error(String(error)) }),
      );
    },
    [client, isBusy],
  );
  return { state, start };
}
