import { existsSync } from 'node:fs';
import { isAbandoned } from '../pool/settle-pool.js';
import type { Repository } from '../workspace/backend.js';
import type { Context } from './context.js';
import { withPool } from './open-pool.js';

/** Has what dead processes left in pools settled in the background: taking a slot back may look at all of its files. */
export async function sweepPools(context: Context): Promise<void> {
  const { slots } = await context.store.slots.list();
  const left = slots.filter(slot => isAbandoned(slot) && existsSync(slot.commonDir));
  for (const repository of new Set(left.map(slot => slot.repository)))
    context.startBackground(['pool', 'refill', '--repository', repository]);
}

/** Settles what dead processes left in the pool of a repository, or in all pools. */
export async function settlePools(context: Context, repository: Repository | undefined): Promise<void> {
  const { slots } = await context.store.slots.list(repository?.id);
  if (slots.length === 0) return;
  for (const root of new Set(slots.map(slot => slot.repository))) {
    // A repository that is gone took its pool along, and one that can't be read now must not stop the others.
    const found = repository ?? (await context.backends.git.locate(root).catch(() => undefined));
    if (found) await withPool(context, found, async () => undefined);
  }
}
