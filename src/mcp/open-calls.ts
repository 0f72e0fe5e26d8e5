/** What is being done for an agent at this moment. */
export interface Calls {
  /** Runs until its end, or until its signal says that nobody waits for it any more. */
  run<T>(asked: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** Aborts all, and waits for their end. */
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
