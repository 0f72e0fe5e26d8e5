import type { SlotRecord } from '../../domain/workspace/slot.js';
import type { PoolDependencies } from '../pool-dependencies.js';
import { slotDirectory } from '../slot/slot-place.js';

export type AdoptDependencies = Pick<PoolDependencies, 'store' | 'self' | 'now' | 'root'> & {
  readonly repository: Pick<PoolDependencies['repository'], 'id'>;
};

/** See `WorkspacePool.adopt`. One with kept caches stays in the pool: they belong to leases. */
export async function adoptSlot(
  { store, repository, self, root, now }: AdoptDependencies,
  commit: string,
  conversions: string,
): Promise<SlotRecord | undefined> {
  const changedAt = new Date(now()).toISOString();
  const event = { type: 'slot.adopted', repositoryId: repository.id, workspaceId: null, data: {} } as const;
  // The files of other kinds are not whole without what they share.
  const slot = await store.slots.claimFree(
    repository.id,
    { commit, kind: 'checkout' },
    { status: 'adopting', owner: self, lease: null, changedAt },
    [event],
  );
  if (!slot) return undefined;
  // Below another root it may be on another file system, and would not move in one step.
  const isUsable = slot.directory === slotDirectory(root, slot) && slot.conversions === conversions;
  if (isUsable && Object.keys(slot.caches).length === 0) return slot;
  await store.slots.update(slot.id, { status: 'adopting', owner: self }, { status: 'free', owner: null }, []);
  return undefined;
}
