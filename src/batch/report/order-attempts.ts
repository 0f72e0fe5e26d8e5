import type { Attempt } from '../../domain/batch/attempt.js';
import type { BatchRun } from '../../domain/batch/batch-run.js';

/** A run's attempts in the order of its plan, not of completion, so that two exports are the same. */
export function inOrder({ taskIds, attempts }: BatchRun): readonly Attempt[] {
  const places = new Map(taskIds.map((taskId, index) => [taskId, index]));
  const placeOf = ({ taskId }: Attempt) => places.get(taskId) ?? taskIds.length;
  return [...attempts].sort((a, b) => placeOf(a) - placeOf(b) || a.attempt - b.attempt);
}
