import type { BatchRun } from '../../domain/batch-run.js';
import type { BatchSummary } from '../../domain/batch-summary.js';
import { isFinal } from '../../domain/outcome.js';

export function summarizeBatch({ attempts, labels, taskIds, ...run }: BatchRun): BatchSummary {
  const done = attempts.filter(({ outcome }) => isFinal(outcome)).length;
  return { ...run, planned: taskIds.length * run.attemptsPerTask, done };
}
