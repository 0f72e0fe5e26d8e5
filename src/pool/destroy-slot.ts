import { lstatSync } from 'node:fs';
import { rmdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { carrelError } from '../domain/error.js';
import type { SlotRecord } from '../domain/slot.js';
import type { PoolDependencies } from './pool-dependencies.js';
import { slotEvent } from './slot-event.js';
import type { SlotFiles } from './slot-files.js';
import { removePin } from './slot-pin.js';
import { recordRemains } from './slot-remains.js';

/** Removes a slot that this process owns: its files become remains, then the pin goes, then the record. */
export async function destroySlot(
  dependencies: PoolDependencies,
  slot: SlotRecord,
  holds: 'work' | 'rubbish' = 'rubbish',
): Promise<void> {
  const { store, git, self, now } = dependencies;
  const changedAt = new Date(now()).toISOString();
  const expected = { status: slot.status, owner: slot.owner };
  // Whoever settles a slot in `destroying` takes what is in it for rubbish.
  const status = holds === 'work' ? 'resetting' : 'destroying';
  const patch = { status, owner: self, lease: null, changedAt } as const;
  const doomed = await store.slots.update(slot.id, expected, patch, []);
  if (!doomed) return;
  if (lstatSync(slot.directory, { throwIfNoEntry: false })) {
    const files = filesOf(dependencies, slot);
    const lower = holds === 'work' ? ((await files.findLower?.(slot)) ?? null) : null;
    const remains = await recordRemains(dependencies, slot, { holds, isPartial: false, lower });
    await files.destroy(slot, remains.directory);
    dependencies.onRemains(remains.id);
  }
  await removePin(git, slot);
  await store.slots.remove(slot.id, { status, owner: self }, [slotEvent('slot.destroyed', slot)]);
  await tidyFolders(slot.directory);
}

/** The folders above a slot, when it was the last one; most often they are not empty. */
async function tidyFolders(directory: string): Promise<void> {
  const folder = dirname(directory);
  for (const empty of [folder, dirname(folder)]) await rmdir(empty).catch(() => undefined);
}

export function filesOf({ kinds }: PoolDependencies, slot: SlotRecord): SlotFiles {
  const files = kinds.find(({ kind }) => kind === slot.kind);
  if (!files) throw carrelError('INTERNAL', { problem: `no way to handle ${slot.kind} slots` });
  return files;
}
