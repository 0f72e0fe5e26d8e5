import type { EvalBase } from '../../domain/batch/eval-item.js';
import { isCarrelError } from '../../domain/error/error.js';
import type { Context } from '../../operations/context.js';
import { mapAtOnce } from '../../workspace/work/map-at-once.js';
import type { BrokenTask } from '../isolation-provider.js';
import { type SealedBase, sealBase } from './sealed-base.js';

/** The sealed bases of a batch, each created once. */
export interface BaseShelf {
  find(base: EvalBase, signal?: AbortSignal): Promise<SealedBase>;
  /** Reports which tasks have none. */
  prepare(tasks: readonly BasedTask[], signal?: AbortSignal): Promise<BrokenTask[]>;
}

export interface BasedTask {
  readonly id: string;
  readonly base: EvalBase;
}

/** Each runs a few git processes. */
const AT_ONCE = 4;

/** Gives the sealed base of a task: sealBase, or one that came from another machine. */
export type SealBase = (base: EvalBase, signal: AbortSignal | undefined) => Promise<SealedBase>;

export function createBaseShelf(
  context: Pick<Context, 'store' | 'git' | 'ids' | 'now' | 'self' | 'places'>,
  seal: SealBase = (base, signal) => sealBase(context, base, { signal }),
): BaseShelf {
  const shelf = new Map<string, Promise<SealedBase>>();
  const find = (base: EvalBase, signal?: AbortSignal): Promise<SealedBase> => {
    const key = JSON.stringify(base);
    const present = shelf.get(key);
    if (present) return present;
    const making = seal(base, signal);
    shelf.set(key, making);
    // A failure may succeed next time, so it is not kept.
    making.catch(() => shelf.delete(key));
    return making;
  };
  return {
    find,
    prepare: async (tasks, signal) => {
      const reasons = await mapAtOnce(tasks, AT_ONCE, task => explain(find(task.base, signal)));
      return tasks.flatMap(({ id }, at) => {
        const reason = reasons[at];
        return reason === undefined ? [] : [{ taskId: id, reason }];
      });
    },
  };
}

async function explain(sealing: Promise<unknown>): Promise<string | undefined> {
  try {
    await sealing;
    return undefined;
  } catch (error) {
    if (!isCarrelError(error, 'BASE_UNAVAILABLE')) throw error;
    return error.message;
  }
}
