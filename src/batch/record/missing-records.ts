import { readFile } from 'node:fs/promises';
import type { Attempt } from '../../domain/batch/attempt.js';
import type { BatchPlan } from '../../domain/batch/batch-run.js';
import { ignoreMissing } from '../../domain/error/error.js';
import { keyOf, parseLine } from './attempt-index-file.js';
import type { RunPlace } from './run-place.js';

/**
 * The attempts of a run that have their own file but no line in the index: the index was replaced or truncated, or
 * the process was killed between the two.
 */
export async function readMissing(
  place: RunPlace,
  { taskIds, attemptsPerTask }: Pick<BatchPlan, 'taskIds' | 'attemptsPerTask'>,
  lines: readonly Attempt[],
): Promise<Attempt[]> {
  const known = new Set(lines.map(keyOf));
  const numbers = Array.from({ length: attemptsPerTask }, (_, index) => index + 1);
  const wanted = taskIds.flatMap(taskId => numbers.map(attempt => ({ taskId, attempt })));
  const found: Attempt[] = [];
  for (const key of wanted.filter(each => !known.has(keyOf(each)))) {
    const { recordFile } = place.attempt(key.taskId, key.attempt);
    const text = await readFile(recordFile, 'utf8').catch(ignoreMissing);
    const attempt = text === undefined ? undefined : parseLine(text);
    // A copy of another attempt's file says nothing about this one.
    if (attempt && keyOf(attempt) === keyOf(key)) found.push(attempt);
  }
  return found;
}
