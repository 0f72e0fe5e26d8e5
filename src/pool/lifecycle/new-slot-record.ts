import type { SlotRecord } from '../../domain/workspace/slot.js';
import type { PoolDependencies } from '../pool-dependencies.js';
import { slotDirectory } from '../slot/slot-place.js';

/** The record of a slot that has none yet. */
export function describeNewSlot(
  { repository, root, now }: PoolDependencies,
  id: string,
  state: Pick<SlotRecord, 'kind' | 'status' | 'commit' | 'owner' | 'reason' | 'conversions'>,
): SlotRecord {
  const at = new Date(now()).toISOString();
  return {
    id,
    repositoryId: repository.id,
    repository: repository.root,
    commonDir: repository.commonDir,
    directory: slotDirectory(root, { id, repositoryId: repository.id }),
    lease: null,
    caches: {},
    createdAt: at,
    changedAt: at,
    ...state,
  };
}
