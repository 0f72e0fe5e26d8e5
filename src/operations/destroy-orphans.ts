import { basename } from 'node:path';
import type { SlotRecord } from '../domain/slot.js';
import { destroySlot } from '../pool/destroy-slot.js';
import type { Context } from './context.js';
import { describePool } from './open-pool.js';
import { settleAtEnd } from './own-remains.js';
import { tidyRoot } from './tidy-root.js';

/** Destroys free slots whose repository is gone: without it there is no pool to drain, and nothing that they could be for. */
export async function destroyOrphans(context: Context, slots: readonly SlotRecord[]): Promise<void> {
  if (slots.length === 0) return;
  const keeper = settleAtEnd(context);
  for (const slot of slots.filter(({ status }) => status === 'free')) {
    const { repositoryId: id, repository: root, commonDir } = slot;
    const repository = { id, root, commonDir, name: basename(root), linkedWorktree: null };
    const pool = await describePool(context, repository, keeper.announce);
    await destroySlot(pool, slot).catch(error =>
      context.narrate(`warning: ${slot.directory} stays: ${error}`),
    );
  }
  await keeper.close();
  await tidyRoot(context);
}
