/** The running calls of an agent. */
export interface Calls {
  /** Runs `work`; its signal is aborted when the caller cancels or the connection closes. */
  run<T>(asked: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** Aborts all calls and waits for them. */
  end(): Promise<void>;
}

export function openCalls(): Calls {
  const running = new Map<Promise<unknown>, AbortController>();
  return {
    run: (asked, work) => {
      const own = new AbortController();
      const result = work(AbortSignal.any([asked, own.signal]));
      const settled = result.catch(() => undefined).finally(() => running.delete(settled));
      running.set(settled, own);
      return result;
    },
    end: async () => {
      for (const own of running.values()) own.abort();
      await Promise.all(running.keys());
    },
  };
}
