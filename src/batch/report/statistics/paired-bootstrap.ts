import type { Interval } from '../../../domain/batch/comparison.js';
import { createSeededRandom } from '../../../domain/batch/seeded-random.js';
import { percentileOfSorted } from './percentile.js';

const DRAWS = 10_000;

/**
 * The 95 percent interval of the mean of paired differences: resamples the tasks, each with its pair of
 * results. The same differences give the same interval, so that reports are reproducible.
 */
export function bootstrapMean(differences: readonly number[]): Interval | null {
  if (differences.length === 0) return null;
  const random = createSeededRandom('paired bootstrap');
  const means = new Float64Array(DRAWS);
  for (let draw = 0; draw < DRAWS; draw++) means[draw] = drawMean(differences, random);
  means.sort();
  const low = percentileOfSorted(means, 0.025);
  const high = percentileOfSorted(means, 0.975);
  return low === null || high === null ? null : { low, high };
}

function drawMean(values: readonly number[], random: () => number): number {
  let sum = 0;
  for (let count = 0; count < values.length; count++)
    sum += values[Math.floor(random() * values.length)] ?? 0;
  return sum / values.length;
}
