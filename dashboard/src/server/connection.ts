/** Whether the server answers this browser. */
export type ConnectionState = 'connecting' | 'live' | 'lost' | 'expired';

export interface Connection {
  state(): ConnectionState;
  report(state: ConnectionState): void;
  /** Returns a function that unsubscribes. */
  listen(onChange: () => void): () => void;
}

export function createConnection(): Connection {
  let current: ConnectionState = 'connecting';
  const listeners = new Set<() => void>();
  return {
    state: () => current,
    report(state) {
      if (state === current) return;
      current = state;
      for (const listener of listeners) listener();
    },
    listen(onChange) {
      listeners.add(onChange);
      return () => listeners.delete(onChange);
    },
  };
}
