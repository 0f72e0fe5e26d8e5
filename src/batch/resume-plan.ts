import type { Attempt } from '../domain/attempt.js';
import type { EvalItem } from '../domain/eval-item.js';
import { isFinal } from '../domain/outcome.js';
import { isSameWork } from './attempt-identity.js';

/** One attempt that is to be made. */
export interface AttemptJob {
  readonly item: EvalItem;
  readonly attempt: number;
  readonly identity: string;
  /** Work that was done before under the same conditions, and came to no judgement: only the grading is left. */
  readonly ungraded?: Attempt | undefined;
}

/**
 * What is left to do: every attempt of every task once, but for those with a result that stands and depends on the same
 * as now. What only has to be graded comes first, as it is paid for. Then first attempts of all tasks go before second
 * ones, so that a batch that is stopped has seen most of them.
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
