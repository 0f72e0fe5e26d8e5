import type { Attempt } from '../domain/attempt.js';
import type { EvalItem } from '../domain/eval-item.js';
import { isFinal } from '../domain/outcome.js';

/** One attempt that is to be made. */
export interface AttemptJob {
  readonly item: EvalItem;
  readonly attempt: number;
  readonly identity: string;
}

/**
 * What is left to do: every attempt of every task once, but for those with a result that stands and depends on the same
 * as now. First attempts of all tasks go before second ones, so that a batch that is stopped has seen most of them.
 */
export function listJobs(
  items: readonly EvalItem[],
  attempts: number,
  identify: (item: EvalItem, attempt: number) => string,
  done: readonly Attempt[],
): AttemptJob[] {
  const standing = new Map(
    done
      .filter(({ outcome }) => isFinal(outcome))
      .map(each => [`${each.taskId} ${each.attempt}`, each.identity]),
  );
  const numbers = Array.from({ length: attempts }, (_, index) => index + 1);
  const all = numbers.flatMap(attempt =>
    items.map(item => ({ item, attempt, identity: identify(item, attempt) })),
  );
  return all.filter(({ item, attempt, identity }) => standing.get(`${item.id} ${attempt}`) !== identity);
}
