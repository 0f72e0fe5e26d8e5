import type { BatchRun } from '../../../domain/batch/batch-run.js';
import type { Interval } from '../../../domain/batch/comparison.js';
import { isGraded } from '../../../domain/batch/outcome-rules.js';

/**
 * Confidence interval of a run's pass rate. Counted over tasks: attempts of one task have similar outcomes, so ten attempts of one
 * task say far less than one attempt each of ten tasks.
 */
export function passRateInterval({ passRate, attempts }: BatchRun): Interval | null {
  if (passRate === null) return null;
  const tasks = new Set(attempts.filter(({ outcome }) => isGraded(outcome)).map(({ taskId }) => taskId));
  return wilsonInterval(passRate * tasks.size, tasks.size);
}

/** Quantile of the normal distribution that leaves 2.5 percent above it. */
const Z = 1.959963984540054;

/** The 95 percent interval of the rate behind `passed` of `count`. Also valid for small counts, and when none or all passed. */
export function wilsonInterval(passed: number, count: number): Interval | null {
  if (count === 0) return null;
  const rate = passed / count;
  const weight = Z ** 2 / count;
  const middle = rate + weight / 2;
  const reach = Z * Math.sqrt((rate * (1 - rate)) / count + weight / (4 * count));
  return {
    low: passed === 0 ? 0 : (middle - reach) / (1 + weight),
    high: passed === count ? 1 : (middle + reach) / (1 + weight),
  };
}
