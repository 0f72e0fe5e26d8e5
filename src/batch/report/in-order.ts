import type { Attempt } from '../../domain/attempt.js';
import type { BatchRun } from '../../domain/batch-run.js';

/** A run's attempts in the order of its plan, whichever ended first; so two exports of it are the same. */
export function inOrder({ taskIds, attempts }: BatchRun): readonly Attempt[] {
  const places = new Map(taskIds.map((taskId, index) => [taskId, index]));
  const placeOf = ({ taskId }: Attempt) => places.get(taskId) ?? taskIds.length;
  return [...attempts].sort((a, b) => placeOf(a) - placeOf(b) || a.attempt - b.attempt);
}
