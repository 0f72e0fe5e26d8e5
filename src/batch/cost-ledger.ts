import { addUsage, NO_USAGE } from '../domain/add-usage.js';
import type { Usage } from '../domain/usage.js';

/** What a batch has used: attempts that have ended, however they did, and those that run, as far as they tell. */
export interface CostLedger {
  report(attempt: string, usage: Usage): void;
  /** Counts it for good. */
  close(attempt: string, usage: Usage): void;
  total(): Usage;
  /** US dollars that are left of a limit; undefined without one. */
  left(): number | undefined;
  /** Aborts as soon as more than the limit is used: for all that run, not only who used the last of it. */
  readonly exceeded: AbortSignal;
}

export function createCostLedger(limitUsd: number | null, before: Usage = NO_USAGE): CostLedger {
  const running = new Map<string, Usage>();
  let closed = before;
  const total = () => [...running.values()].reduce(addUsage, closed);
  const left = () => (limitUsd === null ? undefined : limitUsd - (total().costUsd ?? 0));
  const exceeded = new AbortController();
  const look = () => {
    if ((left() ?? 0) < 0) exceeded.abort();
  };
  return {
    report: (attempt, usage) => {
      running.set(attempt, usage);
      look();
    },
    close: (attempt, usage) => {
      running.delete(attempt);
      closed = addUsage(closed, usage);
      look();
    },
    total,
    left,
    exceeded: exceeded.signal,
  };
}
