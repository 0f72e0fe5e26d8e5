import { isCarrelError } from '../../domain/error/error.js';
import type { SlotRecord } from '../../domain/workspace/slot.js';
import type { PoolDependencies } from '../pool-dependencies.js';
import { slotEvent } from '../slot/slot-event.js';
import { readChecksum } from '../slot/slot-git.js';
import { slotPlace } from '../slot/slot-place.js';
import { handOverAside } from '../slot/slot-remains.js';
import { filesOf } from './remove-slot.js';
import { endProcesses } from './stop-slot-processes.js';

export interface TakenBack {
  /** The slot now: with the requested status, or quarantined. */
  readonly slot: SlotRecord;
  readonly snapshotId: string | null;
  /** See `ReleaseOutcome`. */
  readonly dropped: readonly string[];
}

/**
 * Brings a slot that this process owns, in `resetting`, back to its commit. Then it is as `next` says; when it can't be
 * proven clean it is quarantined.
 */
export async function reclaimSlot(
  dependencies: PoolDependencies,
  slot: SlotRecord,
  work: 'keep' | 'discard',
  next: Partial<SlotRecord>,
): Promise<TakenBack> {
  try {
    const survivors = await endProcesses(slot);
    if (survivors === null) return await emptyAndReset(dependencies, slot, work, next);
    return { slot: await quarantine(dependencies, slot, survivors), ...NOTHING_KEPT };
  } catch (error) {
    if (isCarrelError(error, 'STORE_CORRUPT')) throw error;
    // Any error quarantines the slot. What was moved aside stays there: its content is unknown.
    const problem = error instanceof Error ? error.message : String(error);
    return { slot: await quarantine(dependencies, slot, problem), ...NOTHING_KEPT };
  }
}

const NOTHING_KEPT = { snapshotId: null, dropped: [] } as const;

async function emptyAndReset(
  dependencies: PoolDependencies,
  slot: SlotRecord,
  work: 'keep' | 'discard',
  next: Partial<SlotRecord>,
): Promise<TakenBack> {
  const keep = { paths: dependencies.settings.keep, discardsWork: work === 'discard' };
  const { aside } = slotPlace(slot.directory);
  const findings = await filesOf(dependencies, slot).reset(slot, aside, keep);
  const { problem, caches, hasWork, isPartial, lower, dropped } = findings;
  const holds = work === 'keep' && hasWork ? 'work' : 'rubbish';
  const remainsId = await handOverAside(dependencies, slot, { holds, isPartial, lower });
  const changed =
    problem === null
      ? await leave(dependencies, slot, { ...next, caches, pristine: readChecksum(slot) }, 'slot.released')
      : await quarantine(dependencies, slot, problem);
  return { slot: changed, snapshotId: holds === 'work' ? remainsId : null, dropped };
}

/** For a slot that this process owns, in `resetting`. */
export function quarantine(
  dependencies: PoolDependencies,
  slot: SlotRecord,
  reason: string,
): Promise<SlotRecord> {
  const patch = { status: 'quarantined', owner: null, lease: null, reason } as const;
  return leave(dependencies, slot, patch, 'slot.quarantined', { reason });
}

async function leave(
  { store, self, now }: PoolDependencies,
  slot: SlotRecord,
  patch: Partial<SlotRecord>,
  event: 'slot.released' | 'slot.quarantined',
  data: Readonly<Record<string, unknown>> = {},
): Promise<SlotRecord> {
  const change = { ...patch, changedAt: new Date(now()).toISOString() };
  const expected = { status: 'resetting', owner: self } as const;
  const changed = await store.slots.update(slot.id, expected, change, [slotEvent(event, slot, data)]);
  // A slot is never taken from a living process; a record that was damaged meanwhile is never handed out.
  return changed ?? { ...slot, status: 'quarantined', reason: 'its record was changed by another program' };
}
