import type { Attempt } from '../../../../../src/domain/batch/attempt.js';
import type { BatchRun, TaskLabels } from '../../../../../src/domain/batch/batch-run.js';

/** A task with its attempts, in order; undefined for an attempt without an outcome. */
export interface MatrixRow extends TaskLabels {
  readonly taskId: string;
  readonly attempts: readonly (Attempt | undefined)[];
}

const NO_LABELS: TaskLabels = { language: null, difficulty: null, tags: [] };

export function matrixRows({ taskIds, labels, attempts, attemptsPerTask }: BatchRun): readonly MatrixRow[] {
  const byTask = new Map<string, (Attempt | undefined)[]>(
    taskIds.map(id => [id, Array.from({ length: attemptsPerTask }, () => undefined)]),
  );
  for (const attempt of attempts) {
    const row = byTask.get(attempt.taskId);
    if (row) row[attempt.attempt - 1] = attempt;
  }
  return [...byTask].map(([taskId, row]) => ({ taskId, attempts: row, ...(labels[taskId] ?? NO_LABELS) }));
}
