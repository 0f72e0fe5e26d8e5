/** How long a caller waits at most, and how it can stop waiting. */
export interface Patience {
  readonly signal?: AbortSignal | undefined;
  /** No limit when left out. */
  readonly timeoutMs?: number | undefined;
}

interface Waiter<T> {
  readonly settle: (outcome: { readonly value: T } | { readonly error: unknown }) => void;
}

/** Callers waiting for something, served in order of request. A caller that has left is never served. */
export class WaitingLine<T> {
  readonly #waiters = new Set<Waiter<T>>();

  get length(): number {
    return this.#waiters.size;
  }

  /** Rejects with the signal's reason, or with what `describeTimeout` makes of the limit. */
  join({ signal, timeoutMs }: Patience, describeTimeout: (waitedMs: number) => Error): Promise<T> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const leave = () => waiter.settle({ error: signal?.reason });
      const timer = startTimer(timeoutMs, waitedMs => waiter.settle({ error: describeTimeout(waitedMs) }));
      const waiter: Waiter<T> = {
        settle: outcome => {
          this.#waiters.delete(waiter);
          clearTimeout(timer);
          signal?.removeEventListener('abort', leave);
          if ('value' in outcome) resolve(outcome.value);
          else reject(outcome.error);
        },
      };
      signal?.addEventListener('abort', leave);
      this.#waiters.add(waiter);
    });
  }

  /** Gives the value to the caller that has waited longest. It is created only when there is one; false when there is none. */
  serve(make: () => T): boolean {
    const [first] = this.#waiters;
    first?.settle({ value: make() });
    return first !== undefined;
  }

  /** Rejects the caller that has waited longest. False when there is none. */
  turnAway(error: unknown): boolean {
    const [first] = this.#waiters;
    first?.settle({ error });
    return first !== undefined;
  }
}

/** Node fires a timer at once when its delay does not fit in 31 bits. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

function startTimer(delayMs: number | undefined, fire: (delayMs: number) => void) {
  if (delayMs === undefined || delayMs > LONGEST_TIMER_MS) return undefined;
  return setTimeout(fire, delayMs, delayMs);
}
