import type { Attempt } from '../../domain/batch/attempt.js';
import type { EvalItem } from '../../domain/batch/eval-item.js';
import { isFinal } from '../../domain/batch/outcome-rules.js';
import { isSameWork } from './attempt-identity.js';

/** One attempt to run. */
export interface AttemptJob {
  readonly item: EvalItem;
  readonly attempt: number;
  readonly identity: string;
  /** Finished work under the same conditions that was not graded: only grading is left. */
  readonly ungraded?: Attempt | undefined;
}

/**
 * What is left to do: every attempt of every task once, except those with a valid result that depends on the same inputs
 * as now. Work that only needs grading comes first, because it is already paid for. Then first attempts of all tasks run before second
 * ones, so that a stopped batch has covered most tasks.
 */
export function listJobs(
  items: readonly EvalItem[],
  attempts: number,
  identify: (item: EvalItem, attempt: number) => string,
  done: readonly Attempt[],
): AttemptJob[] {
  const latest = new Map(done.map(each => [`${each.taskId} ${each.attempt}`, each]));
  const numbers = Array.from({ length: attempts }, (_, index) => index + 1);
  const jobs = numbers.flatMap(attempt =>
    items.flatMap(item => {
      const identity = identify(item, attempt);
      const before = latest.get(`${item.id} ${attempt}`);
      if (before && isFinal(before.outcome) && before.identity === identity) return [];
      const isUngraded = before?.awaitsGrading && isSameWork(before.identity, identity);
      return [{ item, attempt, identity, ungraded: isUngraded ? before : undefined }];
    }),
  );
  return [...jobs.filter(({ ungraded }) => ungraded), ...jobs.filter(({ ungraded }) => !ungraded)];
}
