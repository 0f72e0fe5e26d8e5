import type { Context } from '../context.js';
import { changeTogether, type TransactionPart } from '../guard/journaled.js';

/** Called at the point of no return; returns when all parts have passed it. */
export type PassTogether = (own: TransactionPart) => Promise<void>;

/**
 * Runs each action inside the one before it. The innermost passes the point of no return for all, in one transaction, so that
 * the failure of one action makes all of them fail before that point. Returns the results in the order of the actions.
 */
export async function runTogether<T>(
  context: Pick<Context, 'store'>,
  actions: readonly ((pass: PassTogether) => Promise<T>)[],
): Promise<T[]> {
  const parts: TransactionPart[] = [];
  const results: T[] = [];
  const runFrom = async (index: number): Promise<void> => {
    const action = actions[index];
    if (!action) return changeTogether(context, parts);
    results[index] = await action(async own => {
      parts.push(own);
      await runFrom(index + 1);
    });
  };
  await runFrom(0);
  return results;
}
