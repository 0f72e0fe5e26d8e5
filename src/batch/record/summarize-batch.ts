import type { BatchRun } from '../../domain/batch/batch-run.js';
import type { BatchSummary } from '../../domain/batch/batch-summary.js';
import { isFinal } from '../../domain/batch/outcome-rules.js';

export function summarizeBatch({ attempts, labels, taskIds, ...run }: BatchRun): BatchSummary {
  const done = attempts.filter(({ outcome }) => isFinal(outcome)).length;
  return { ...run, planned: taskIds.length * run.attemptsPerTask, done };
}
