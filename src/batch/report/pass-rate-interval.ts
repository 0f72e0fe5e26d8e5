import type { BatchRun } from '../../domain/batch-run.js';
import type { Interval } from '../../domain/comparison.js';
import { isJudged } from '../../domain/outcome.js';
import { wilsonInterval } from './statistics/wilson-interval.js';

/**
 * How sure a run's pass rate is. Counted over tasks: attempts of one task come out alike, so that ten attempts of one
 * task say far less than one attempt of ten.
 */
export function passRateInterval({ passRate, attempts }: BatchRun): Interval | null {
  if (passRate === null) return null;
  const tasks = new Set(attempts.filter(({ outcome }) => isJudged(outcome)).map(({ taskId }) => taskId));
  return wilsonInterval(passRate * tasks.size, tasks.size);
}
