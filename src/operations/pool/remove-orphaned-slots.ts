import { basename } from 'node:path';
import type { SlotRecord } from '../../domain/workspace/slot.js';
import { removeSlot } from '../../pool/lifecycle/remove-slot.js';
import type { Context } from '../context.js';
import { removeAtEnd } from '../remains/remains-keeper.js';
import { removeEmptyRoot } from '../space/workspace-root.js';
import { describePool } from './open-pool.js';

/** Destroys free slots whose repository is gone: without it there is no pool to drain, and they are of no use. */
export async function removeOrphanedSlots(context: Context, slots: readonly SlotRecord[]): Promise<void> {
  if (slots.length === 0) return;
  const keeper = removeAtEnd(context);
  for (const slot of slots.filter(({ status }) => status === 'free')) {
    const { repositoryId: id, repository: root, commonDir } = slot;
    const repository = { id, root, commonDir, name: basename(root), linkedWorktree: null };
    const pool = await describePool(context, repository, keeper.announce);
    await removeSlot(pool, slot).catch(error =>
      context.narrate(`warning: ${slot.directory} was kept: ${error}`),
    );
  }
  await keeper.close();
  await removeEmptyRoot(context);
}
