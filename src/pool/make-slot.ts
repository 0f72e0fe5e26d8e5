import type { SlotRecord } from '../domain/slot.js';
import { destroySlot, filesOf } from './destroy-slot.js';
import type { PoolDependencies } from './pool-dependencies.js';
import { slotEvent } from './slot-event.js';
import { movePin } from './slot-pin.js';
import { slotPlace } from './slot-place.js';
import { handOverAside } from './slot-remains.js';

/** Makes the files of a slot that this process has just recorded, and leaves it as `next` says. No trace when it fails. */
export async function makeSlot(
  dependencies: PoolDependencies,
  slot: SlotRecord,
  next: Partial<SlotRecord>,
  signal?: AbortSignal,
): Promise<SlotRecord> {
  const { git, requireRoom } = dependencies;
  return orDestroy(dependencies, slot, async () => {
    await requireRoom();
    await bothOrNeither(
      movePin(git, slot, null, slot.commit),
      filesOf(dependencies, slot).make(slot, signal),
    );
    return change(dependencies, slot, next, 'slot.created');
  });
}

/** Brings a slot that this process has leased to another commit. When that fails the slot goes. */
export async function retargetSlot(
  dependencies: PoolDependencies,
  slot: SlotRecord,
  commit: string,
  signal?: AbortSignal,
): Promise<SlotRecord> {
  const { aside } = slotPlace(slot.directory);
  return orDestroy(dependencies, slot, async () => {
    const retargeting = filesOf(dependencies, slot).retarget(slot, commit, aside, signal);
    if (commit === slot.commit) {
      await retargeting;
      return slot;
    }
    const pinning = movePin(dependencies.git, slot, slot.commit, commit);
    const [caches] = await bothOrNeither(retargeting, pinning);
    await handOverAside(dependencies, slot, { holds: 'rubbish', isPartial: true, lower: null });
    return change(dependencies, slot, { commit, caches });
  });
}

async function orDestroy(
  dependencies: PoolDependencies,
  slot: SlotRecord,
  action: () => Promise<SlotRecord>,
): Promise<SlotRecord> {
  try {
    return await action();
  } catch (error) {
    // The first failure is what the caller must hear of; what can't be destroyed now is settled when we are gone.
    await destroySlot(dependencies, slot).catch(() => undefined);
    throw error;
  }
}

/** Fails only when both have ended: the other would go on in a slot that is being destroyed. */
async function bothOrNeither<A, B>(first: Promise<A>, second: Promise<B>): Promise<[A, B]> {
  await Promise.allSettled([first, second]);
  return Promise.all([first, second]);
}

async function change(
  { store, now }: PoolDependencies,
  slot: SlotRecord,
  patch: Partial<SlotRecord>,
  event?: 'slot.created',
): Promise<SlotRecord> {
  const full = { ...patch, changedAt: new Date(now()).toISOString() };
  const events = event ? [slotEvent(event, slot, { commit: slot.commit })] : [];
  const expected = { status: slot.status, owner: slot.owner };
  // Nobody takes a slot from a living process.
  return (await store.slots.update(slot.id, expected, full, events)) ?? { ...slot, ...full };
}
