import type { SlotRecord } from '../domain/slot.js';
import { destroySlot } from './destroy-slot.js';
import type { PoolDependencies } from './pool-dependencies.js';

/** One of these that is free goes: it stands below another root, or its files are of no use. False when none is. */
export async function dropFree(
  dependencies: PoolDependencies,
  slots: readonly SlotRecord[],
): Promise<boolean> {
  const { store, self } = dependencies;
  for (const { id } of slots.filter(({ status }) => status === 'free')) {
    const patch = { status: 'destroying', owner: self } as const;
    const taken = await store.slots.update(id, { status: 'free', owner: null }, patch, []);
    if (!taken) continue;
    await destroySlot(dependencies, taken);
    return true;
  }
  return false;
}
