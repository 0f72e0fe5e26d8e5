import type { LedgerSession, News } from '../ledger/ledger-session.js';

/** One subscription to the ledger for all that wait in this process. It begins with the first of them. */
export interface NewsHub {
  /** Returns how to stop. Without a connection for news, callers find out by polling. */
  subscribe(callback: (news: News) => void): () => void;
  close(): Promise<void>;
}

export function createNewsHub(ledger: LedgerSession): NewsHub {
  const callbacks = new Set<(news: News) => void>();
  let listening: Promise<() => Promise<void>> | undefined;
  const start = (): void => {
    const begun = ledger.listen(news => {
      for (const callback of callbacks) callback(news);
    });
    listening = begun;
    begun.catch(() => {
      // The next subscriber tries again.
      listening = undefined;
    });
  };
  return {
    subscribe: callback => {
      callbacks.add(callback);
      if (!listening) start();
      return () => void callbacks.delete(callback);
    },
    close: async () => {
      callbacks.clear();
      const stop = await listening?.catch(() => undefined);
      await stop?.();
    },
  };
}
