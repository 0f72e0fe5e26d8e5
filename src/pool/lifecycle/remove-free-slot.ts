import type { SlotRecord } from '../../domain/workspace/slot.js';
import type { PoolDependencies } from '../pool-dependencies.js';
import { removeSlot } from './remove-slot.js';

/** Removes one of these that is free: it is in another root, or its files are unusable. False when none is free. */
export async function removeFreeSlot(
  dependencies: PoolDependencies,
  slots: readonly SlotRecord[],
): Promise<boolean> {
  const { store, self } = dependencies;
  for (const { id } of slots.filter(({ status }) => status === 'free')) {
    const patch = { status: 'destroying', owner: self } as const;
    const taken = await store.slots.update(id, { status: 'free', owner: null }, patch, []);
    if (!taken) continue;
    await removeSlot(dependencies, taken);
    return true;
  }
  return false;
}
