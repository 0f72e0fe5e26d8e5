import type { Interval } from '../../../domain/batch/comparison.js';
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

/** Numbers in [0, 1) that look random and are the same for the same seed (mulberry32), on every machine. */
function createSeededRandom(seed: string): () => number {
  let state = hashText(seed);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** FNV-1a in 32 bits. */
function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash;
}

function drawMean(values: readonly number[], random: () => number): number {
  let sum = 0;
  for (let count = 0; count < values.length; count++)
    sum += values[Math.floor(random() * values.length)] ?? 0;
  return sum / values.length;
}
