import type { Interval } from '../../../domain/batch/comparison.js';

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
