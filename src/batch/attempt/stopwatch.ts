import type { Timings } from '../../domain/batch/attempt.js';

/** Adds up how long the phases of an attempt take. Uses the monotonic clock, because the time of day can be changed. */
export interface Stopwatch {
  measure<T>(part: keyof Timings, action: () => Promise<T>): Promise<T>;
  /** Whole milliseconds. */
  timings(): Timings;
  /** Milliseconds since creation. */
  total(): number;
}

export function createStopwatch(): Stopwatch {
  const madeAt = performance.now();
  const spent = { acquireMs: 0, setupMs: 0, agentMs: 0, collectMs: 0, gradeMs: 0, releaseMs: 0 };
  return {
    measure: async (part, action) => {
      const begin = performance.now();
      try {
        return await action();
      } finally {
        spent[part] += performance.now() - begin;
      }
    },
    timings: () =>
      Object.fromEntries(Object.entries(spent).map(([part, ms]) => [part, Math.round(ms)])) as Timings,
    total: () => Math.round(performance.now() - madeAt),
  };
}
