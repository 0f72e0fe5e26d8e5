/** Wakes all waiting callers. */
export interface Bell {
  /** The number of rings so far. */
  readonly count: number;
  ring(): void;
  /** Waits until it has rung more often than `seen`, or for the signal. */
  wait(seen: number, signal: AbortSignal): Promise<void>;
}

export function createBell(): Bell {
  let count = 0;
  let waiting = new Set<() => void>();
  return {
    get count() {
      return count;
    },
    ring() {
      count += 1;
      const woken = waiting;
      waiting = new Set();
      for (const wake of woken) wake();
    },
    wait(seen, signal) {
      if (count > seen || signal.aborted) return Promise.resolve();
      return new Promise(resolve => {
        const wake = () => {
          signal.removeEventListener('abort', wake);
          waiting.delete(wake);
          resolve();
        };
        waiting.add(wake);
        signal.addEventListener('abort', wake, { once: true });
      });
    },
  };
}
