import { useCallback, useState } from 'react';
import type { CarrelClient } from '../../../src/surfaces/client/carrel-client.js';
import { useServer } from './server-provider.js';

/** An action on the server that the user started, and its result. */
export type ActionState<T> =
  | { readonly step: 'idle' }
  | { readonly step: 'busy' }
  | { readonly step: 'done'; readonly result: T }
  | { readonly step: 'failed'; readonly error: Error };

export interface Action<T> {
  readonly state: ActionState<T>;
  /** A second start during the action does nothing. */
  readonly start: (perform: (client: CarrelClient) => Promise<T>) => void;
}

/** Continues when the user leaves the page: the action on the server is completed. */
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
