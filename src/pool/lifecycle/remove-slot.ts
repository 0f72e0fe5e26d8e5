import { lstatSync } from 'node:fs';
import { rmdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { carrelError } from '../../domain/error/error.js';
import type { SlotRecord } from '../../domain/workspace/slot.js';
import { toBytePath } from '../../git/byte-path.js';
import type { PoolDependencies } from '../pool-dependencies.js';
import { hasRepositoryIn } from '../slot/find-nested-repository.js';
import { slotEvent } from '../slot/slot-event.js';
import { removePin } from '../slot/slot-pin.js';
import { leaveRemains } from '../slot/slot-remains.js';
import type { SlotFiles } from '../slot-files.js';

/** Removes a slot that this process owns: its files become remains, then the pin is removed, then the record. */
export async function removeSlot(
  dependencies: PoolDependencies,
  slot: SlotRecord,
  holds: 'work' | 'rubbish' = 'rubbish',
): Promise<void> {
  const { store, git, self, now } = dependencies;
  const changedAt = new Date(now()).toISOString();
  const expected = { status: slot.status, owner: slot.owner };
  // Recovery deletes the content of a slot in `destroying`.
  const status = holds === 'work' ? 'resetting' : 'destroying';
  const patch = { status, owner: self, lease: null, changedAt } as const;
  const doomed = await store.slots.update(slot.id, expected, patch, []);
  if (!doomed) return;
  if (lstatSync(slot.directory, { throwIfNoEntry: false })) {
    const files = filesOf(dependencies, slot);
    const isWork = holds === 'work' || (await hasRepositoryInCaches(slot));
    const lower = isWork ? ((await files.findLower?.(slot)) ?? null) : null;
    const content = { holds: isWork ? 'work' : 'rubbish', isPartial: false, lower } as const;
    await leaveRemains(dependencies, slot, content, directory => files.destroy(slot, directory));
  }
  await removePin(git, slot);
  await store.slots.remove(slot.id, { status, owner: self }, [slotEvent('slot.destroyed', slot)]);
  await tidyFolders(slot.directory);
}

/** A cache is not work, except for a repository in it. An overlay that is not mounted has them in its upper layer. */
async function hasRepositoryInCaches({ directory, caches }: SlotRecord): Promise<boolean> {
  const paths = Object.keys(caches).flatMap(path => ['tree', 'upper'].map(part => `${part}/${path}`));
  return hasRepositoryIn(directory, paths.map(toBytePath));
}

/** The folders above a slot, when it was the last one; most often they are not empty. */
async function tidyFolders(directory: string): Promise<void> {
  const folder = dirname(directory);
  for (const empty of [folder, dirname(folder)]) await rmdir(empty).catch(() => undefined);
}

export function filesOf({ kinds }: PoolDependencies, slot: SlotRecord): SlotFiles {
  const files = kinds.find(({ kind }) => kind === slot.kind);
  if (!files) throw carrelError('INTERNAL', { problem: `unknown slot kind ${slot.kind}` });
  return files;
}
