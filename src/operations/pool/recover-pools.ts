import { existsSync } from 'node:fs';
import { isAbandoned } from '../../pool/lifecycle/recover-slots.js';
import type { Repository } from '../../workspace/backend.js';
import type { Context } from '../context.js';
import { withPool } from './open-pool.js';

/** Cleans up pools after dead processes in the background: reclaiming a slot may read all of its files. */
export async function cleanUpPools(context: Pick<Context, 'store' | 'startBackground'>): Promise<void> {
  const { slots } = await context.store.slots.list();
  const left = slots.filter(slot => isAbandoned(slot) && existsSync(slot.commonDir));
  for (const repository of new Set(left.map(slot => slot.repository)))
    context.startBackground(['pool', 'refill', '--repository', repository]);
}

/** Cleans up after dead processes in the pool of a repository, or in all pools. */
export async function recoverPools(context: Context, repository: Repository | undefined): Promise<void> {
  const { slots } = await context.store.slots.list(repository?.id);
  if (slots.length === 0) return;
  for (const root of new Set(slots.map(slot => slot.repository))) {
    // A repository that is gone has no pool, and one that can't be read now must not stop the others.
    const found = repository ?? (await context.backends.git.locate(root).catch(() => undefined));
    if (found) await withPool(context, found, async () => undefined);
  }
}
