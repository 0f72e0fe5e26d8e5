import { carrelError, isCarrelError } from '../../domain/error/error.js';
import type { SlotRecord } from '../../domain/workspace/slot.js';
import { reclaimSlot } from '../lifecycle/reclaim-slot.js';
import { recoverSlots } from '../lifecycle/recover-slots.js';
import type { PoolDependencies } from '../pool-dependencies.js';
import type { ReleaseOptions, ReleaseOutcome } from '../workspace-pool.js';

/** Free again, or quarantined. A record that was damaged meanwhile is recovered, which quarantines its slot. */
export async function releaseLease(
  dependencies: PoolDependencies,
  leaseId: string,
  { work = 'keep' }: ReleaseOptions,
): Promise<ReleaseOutcome> {
  try {
    const slot = await beginReset(dependencies, leaseId);
    const free = { status: 'free', lease: null, owner: null } as const;
    const { slot: taken, snapshotId, dropped } = await reclaimSlot(dependencies, slot, work, free);
    const status = taken.status === 'free' ? 'free' : 'quarantined';
    return { status, reason: taken.reason, snapshotId, dropped };
  } catch (error) {
    if (!isCarrelError(error, 'STORE_CORRUPT')) throw error;
    await recoverSlots(dependencies);
    return { status: 'quarantined', reason: error.message, snapshotId: null, dropped: [] };
  }
}

/** Clean again, and still the holder's. */
export async function resetLease(
  dependencies: PoolDependencies,
  leaseId: string,
  { work = 'keep' }: ReleaseOptions,
): Promise<void> {
  const slot = await beginReset(dependencies, leaseId);
  const next = { status: 'leased', owner: slot.owner } as const;
  const { slot: taken } = await reclaimSlot(dependencies, slot, work, next);
  if (taken.status === 'leased') return;
  throw carrelError('SLOT_QUARANTINED', { slot: slot.id, reason: taken.reason ?? 'unknown' });
}

/** Any caller with the lease's id may release it; from here on the id is no longer valid. */
async function beginReset(dependencies: PoolDependencies, leaseId: string): Promise<SlotRecord> {
  const { store, self } = dependencies;
  const slot = await requireLease(dependencies, leaseId);
  const patch = { status: 'resetting', owner: self } as const;
  const taken = await store.slots.update(slot.id, { status: 'leased', leaseId }, patch, []);
  if (!taken) throw carrelError('STALE_LEASE', { lease: leaseId });
  return taken;
}

export async function requireLease({ store }: PoolDependencies, leaseId: string): Promise<SlotRecord> {
  const slot = await store.slots.findByLease(leaseId);
  if (slot?.status !== 'leased') throw carrelError('STALE_LEASE', { lease: leaseId });
  return slot;
}
