import { existsSync, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { SlotRecord } from '../../domain/workspace/slot.js';
import { findOwnerState } from '../../exec/process/identify-process.js';
import { killOrphans } from '../../exec/stop/kill-tree.js';
import { readRef } from '../../git/refs/refs.js';
import type { PoolDependencies } from '../pool-dependencies.js';
import { slotEvent } from '../slot/slot-event.js';
import { pinOf } from '../slot/slot-pin.js';
import { poolDirectory, rootOfSlot, slotDirectory } from '../slot/slot-place.js';
import { describeNewSlot } from './new-slot-record.js';
import { reclaimSlot } from './reclaim-slot.js';
import { removeSlot } from './remove-slot.js';

/** The slots of a pool that can be trusted, and how many more there are. */
export interface SlotList {
  readonly slots: readonly SlotRecord[];
  /** Slots in another root: the setting was changed, or another user has a different one. They count, and others may use them. */
  readonly elsewhere: readonly SlotRecord[];
  /** Ids of records that can't be read, or that point to a missing slot. */
  readonly damaged: readonly string[];
}

export async function listSlots({ store, repository, root }: PoolDependencies): Promise<SlotList> {
  const { slots, damaged } = await store.slots.list(repository.id);
  const isBelow = (slot: SlotRecord, place: string) => slot.directory === slotDirectory(place, slot);
  const sound = slots.filter(slot => isBelow(slot, rootOfSlot(slot)));
  const misled = slots.filter(slot => !sound.includes(slot)).map(({ id }) => id);
  return {
    slots: sound.filter(slot => isBelow(slot, root)),
    elsewhere: sound.filter(slot => !isBelow(slot, root)),
    damaged: [...damaged, ...misled],
  };
}

/**
 * Settles slots of dead processes: half-made slots are removed, leased ones are reclaimed with their work kept. A damaged record
 * is removed too, and its directory, like any without a record, is quarantined. Safe to run in several processes at
 * once; one short read when there is nothing to do. Returns problems to report: what cannot be recovered now stays.
 */
export async function recoverSlots(dependencies: PoolDependencies): Promise<string[]> {
  const { slots, elsewhere, damaged } = await listSlots(dependencies);
  for (const id of damaged) await dependencies.store.slots.removeDamaged(id);
  await quarantineStrays(dependencies);
  const problems: string[] = [];
  for (const slot of [...slots, ...elsewhere].filter(isAbandoned)) {
    try {
      await endOrphans(slot);
      await settleSlot(dependencies, slot);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      problems.push(`cannot clean up the slot ${slot.id}: ${why}`);
    }
  }
  return problems;
}

/** A process that can't be looked up from here, in a container, may be alive. */
export const isAbandoned = ({ owner }: SlotRecord): boolean =>
  owner !== null && findOwnerState(owner) === 'dead';

/** The gits of a dead process go on writing: on SIGTERM they remove their lock files. */
async function endOrphans({ owner }: SlotRecord): Promise<void> {
  if (owner) await killOrphans(owner, { graceMs: 2000 });
}

async function settleSlot(dependencies: PoolDependencies, slot: SlotRecord): Promise<void> {
  switch (slot.status) {
    case 'creating':
    case 'adopting':
    case 'destroying':
      return removeSlot(dependencies, slot);
    case 'leased':
    case 'resetting': {
      const expected = { status: slot.status, owner: slot.owner };
      const patch = { status: 'resetting', owner: dependencies.self } as const;
      const taken = await dependencies.store.slots.update(slot.id, expected, patch, []);
      // Marked as free since long ago, so that undisturbed slots are leased before it.
      if (taken) await reclaimSlot(dependencies, taken, 'keep', { status: 'free', lease: null, owner: null });
      return;
    }
    case 'free':
    case 'quarantined':
      return;
  }
}

/** Looked for before the records are read: a slot's record is there before its directory. */
async function quarantineStrays(dependencies: PoolDependencies): Promise<void> {
  const { root, repository, store } = dependencies;
  const directory = poolDirectory(root, repository.id);
  const names = existsSync(directory) ? readdirSync(directory).filter(isSlotId) : [];
  if (names.length === 0) return;
  const { slots, damaged } = await store.slots.list(repository.id);
  const known = new Set([...slots.map(({ id }) => id), ...damaged]);
  for (const id of names.filter(name => !known.has(name))) {
    const stray = await describeStray(dependencies, id);
    // Gone by now when it was being destroyed.
    if (!lstatSync(stray.directory, { throwIfNoEntry: false })) continue;
    const event = slotEvent('slot.quarantined', stray, { reason: stray.reason });
    await store.slots.insert(stray, Number.POSITIVE_INFINITY, [event]).catch(async error => {
      // Another process was first.
      if (!(await store.slots.find(id))) throw error;
    });
  }
}

const isSlotId = (name: string): boolean => /^slot_[0-9a-z]{16}$/.test(name);

/** Only the pin has the commit that it started from: the holder may have changed HEAD. */
async function describeStray(dependencies: PoolDependencies, id: string): Promise<SlotRecord> {
  const { root, repository, git } = dependencies;
  const directory = slotDirectory(root, { id, repositoryId: repository.id });
  return describeNewSlot(dependencies, id, {
    kind: existsSync(join(directory, 'upper')) ? 'overlay' : 'checkout',
    status: 'quarantined',
    commit: (await readRef(git, { gitDir: repository.commonDir }, pinOf(id))) ?? '',
    owner: null,
    reason: 'its record was lost or damaged',
  });
}
