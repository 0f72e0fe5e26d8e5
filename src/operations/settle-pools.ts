import type { Repository } from '../workspace/backend.js';
import type { Context } from './context.js';

/** Settles what dead processes left in the pool of a repository, or in all pools. */
export async function settlePools(context: Context, repository: Repository | undefined): Promise<void> {
  const { slots } = await context.store.slots.list(repository?.id);
  if (slots.length === 0) return;
  // Most repositories have no pool, and need none of this.
  const { withPool } = await import('./open-pool.js');
  for (const root of new Set(slots.map(slot => slot.repository))) {
    // A repository that is gone took its pool along, and one that can't be read now must not stop the others.
    const found = repository ?? (await context.backends.git.locate(root).catch(() => undefined));
    if (found) await withPool(context, found, async () => undefined);
  }
}
