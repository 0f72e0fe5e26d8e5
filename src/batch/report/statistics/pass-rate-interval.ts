import type { BatchRun } from '../../../domain/batch/batch-run.js';
import type { Interval } from '../../../domain/batch/comparison.js';
import { isGraded } from '../../../domain/batch/outcome-rules.js';
import { wilsonInterval } from './wilson-interval.js';

/**
 * Confidence interval of a run's pass rate. Counted over tasks: attempts of one task have similar outcomes, so ten attempts of one
 * task say far less than one attempt each of ten tasks.
 */
export function passRateInterval({ passRate, attempts }: BatchRun): Interval | null {
  if (passRate === null) return null;
  const tasks = new Set(attempts.filter(({ outcome }) => isGraded(outcome)).map(({ taskId }) => taskId));
  return wilsonInterval(passRate * tasks.size, tasks.size);
}
