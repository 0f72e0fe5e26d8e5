import { setTimeout as sleep } from 'node:timers/promises';
import { carrelError } from '../domain/error.js';
import { createId } from '../domain/id.js';
import type { SlotKind, SlotLease, SlotRecord } from '../domain/slot.js';
import { describeNewSlot } from './new-slot.js';
import type { PoolDependencies } from './pool-dependencies.js';
import { isAbandoned, listSlots, type SlotList, settlePool } from './settle-pool.js';
import { slotDirectory } from './slot-place.js';
import type { AcquireRequest } from './workspace-pool.js';

/** A slot that this process owns from now on. */
export interface ClaimedSlot {
  readonly slot: SlotRecord;
  /** False when its files are yet to be made. */
  readonly isWarm: boolean;
}

export interface Claim extends AcquireRequest {
  /** The kind of a new slot. */
  readonly newKind: SlotKind;
  readonly startedAt: number;
  /** Aborted when the pool closes, or by the caller's signal. */
  readonly signal: AbortSignal;
  /** Called with a function that ends a pause, for when a slot comes free in this process. */
  readonly onPause: (wake: () => void) => void;
}

/**
 * Takes a free slot, or the right to make one, or waits for either. Who waits looks at the records again and again, as
 * slots come free in other processes too, and settles what the dead among them left.
 */
export async function claimSlot(dependencies: PoolDependencies, claim: Claim): Promise<ClaimedSlot> {
  for (let pauseMs = 5; ; pauseMs = Math.min(pauseMs * 2, 50)) {
    claim.signal.throwIfAborted();
    const list = await listSlots(dependencies);
    const claimed = await tryToClaim(dependencies, claim, list);
    if (claimed) return claimed;
    const isSettled = list.damaged.length === 0 && !list.slots.some(isAbandoned);
    if (!isSettled) await settlePool(dependencies);
    else await pause(claim, pauseMs, dependencies.settings.size);
  }
}

async function tryToClaim(
  dependencies: PoolDependencies,
  claim: Claim,
  { slots, damaged }: SlotList,
): Promise<ClaimedSlot | undefined> {
  const isWanted = ({ status, kind }: SlotRecord) =>
    status === 'free' && (claim.kind === undefined || claim.kind === kind);
  const isFree = slots.some(isWanted);
  const slot = isFree ? await claimFree(dependencies, claim) : undefined;
  if (slot) return { slot, isWarm: true };
  const used = slots.filter(({ status }) => status !== 'quarantined').length + damaged.length;
  if (used >= dependencies.settings.size) return undefined;
  const fresh = await insertSlot(dependencies, claim.commit, claim.newKind);
  return fresh && { slot: fresh, isWarm: false };
}

async function claimFree(dependencies: PoolDependencies, claim: Claim): Promise<SlotRecord | undefined> {
  const { store, repository, root, self, now } = dependencies;
  const changedAt = new Date(now()).toISOString();
  const lease = createLease(dependencies, claim.holder);
  const patch = { status: 'leased', owner: self, lease, changedAt } as const;
  const { commit, kind } = claim;
  const wanted = kind === undefined ? { commit } : { commit, kind };
  const data = { lease: lease.id, holder: lease.holder };
  const event = { type: 'slot.leased', repositoryId: repository.id, workspaceId: null, data } as const;
  const slot = await store.slots.claimFree(repository.id, wanted, patch, [event]);
  if (!slot || slot.directory === slotDirectory(root, slot)) return slot;
  await store.slots.removeDamaged(slot.id);
  return undefined;
}

export function createLease({ ids, now }: PoolDependencies, holder: string): SlotLease {
  return { id: createId('lease', ids), holder, since: new Date(now()).toISOString() };
}

/** The record of a slot in the making; undefined at the cap. */
export async function insertSlot(
  dependencies: PoolDependencies,
  commit: string,
  kind: SlotKind,
): Promise<SlotRecord | undefined> {
  const { store, self, ids, settings } = dependencies;
  const state = { kind, status: 'creating', commit, owner: self, reason: null } as const;
  const slot = describeNewSlot(dependencies, createId('slot', ids), state);
  return (await store.slots.insert(slot, settings.size, [])) ? slot : undefined;
}

/** Uneven, so that processes that wait for the same pool do not look at the same moments. */
async function pause({ timeoutMs, startedAt, signal, onPause }: Claim, pauseMs: number, cap: number) {
  const waitedMs = performance.now() - startedAt;
  const leftMs = timeoutMs === undefined ? Number.POSITIVE_INFINITY : timeoutMs - waitedMs;
  if (leftMs <= 0) throw carrelError('ACQUIRE_TIMED_OUT', { waitedMs: Math.round(waitedMs), cap });
  const waking = new AbortController();
  onPause(() => waking.abort());
  const either = AbortSignal.any([signal, waking.signal]);
  await sleep(Math.min(pauseMs * (0.5 + Math.random()), leftMs), undefined, { signal: either }).catch(
    () => undefined,
  );
}
