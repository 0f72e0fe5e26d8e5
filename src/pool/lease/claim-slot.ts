import { setTimeout as sleep } from 'node:timers/promises';
import { carrelError } from '../../domain/error/error.js';
import { createId } from '../../domain/id.js';
import type { SlotKind, SlotLease, SlotRecord } from '../../domain/workspace/slot.js';
import { describeNewSlot } from '../lifecycle/new-slot-record.js';
import { isAbandoned, listSlots, recoverSlots, type SlotList } from '../lifecycle/recover-slots.js';
import { removeFreeSlot } from '../lifecycle/remove-free-slot.js';
import { removeSlot } from '../lifecycle/remove-slot.js';
import type { PoolDependencies } from '../pool-dependencies.js';
import { rootOfSlot, slotDirectory } from '../slot/slot-place.js';
import type { AcquireRequest } from '../workspace-pool.js';

/** A slot that this process owns from now on. */
export interface ClaimedSlot {
  readonly slot: SlotRecord;
  /** False when its files do not exist yet. */
  readonly isWarm: boolean;
}

export interface Claim extends AcquireRequest {
  /** The kind of a new slot. */
  readonly newKind: SlotKind;
  /** The present ones; see `SlotRecord`. */
  readonly conversions: string;
  readonly startedAt: number;
  /** Aborted when the pool closes, or by the caller's signal. */
  readonly signal: AbortSignal;
  /** Called with a function that ends a pause, for when a slot comes free in this process. */
  readonly onPause: (wake: () => void) => void;
}

/**
 * Takes a free slot, or the right to make one, or waits for either. A waiting caller polls the records, because
 * other processes free slots too, and recovers slots of dead processes.
 */
export async function claimSlot(dependencies: PoolDependencies, claim: Claim): Promise<ClaimedSlot> {
  for (let pauseMs = 5; ; pauseMs = Math.min(pauseMs * 2, 50)) {
    claim.signal.throwIfAborted();
    const list = await listSlots(dependencies);
    const claimed = await tryToClaim(dependencies, claim, list);
    if (claimed) return claimed;
    const isSettled = list.damaged.length === 0 && ![...list.slots, ...list.elsewhere].some(isAbandoned);
    const problems = isSettled ? [] : await recoverSlots(dependencies);
    if (isSettled || problems.length > 0) await pause(claim, pauseMs, dependencies.settings.size);
  }
}

async function tryToClaim(
  dependencies: PoolDependencies,
  claim: Claim,
  { slots, elsewhere, damaged }: SlotList,
): Promise<ClaimedSlot | undefined> {
  const isWanted = ({ status, kind }: SlotRecord) =>
    status === 'free' && (claim.kind === undefined || claim.kind === kind);
  const isFree = slots.some(isWanted);
  const slot = isFree ? await claimFree(dependencies, claim) : undefined;
  if (slot) return { slot, isWarm: true };
  const isUsed = ({ status }: SlotRecord) => status !== 'quarantined';
  const used = [...slots, ...elsewhere].filter(isUsed).length + damaged.length;
  if (used >= dependencies.settings.size && !(await removeFreeSlot(dependencies, elsewhere)))
    return undefined;
  requireFewQuarantined(dependencies, slots);
  const fresh = await insertSlot(dependencies, { ...claim, kind: claim.newKind });
  return fresh && { slot: fresh, isWarm: false };
}

/** They do not count towards the cap, and a problem that affects every slot would fill the disk with them. */
function requireFewQuarantined(
  { settings, repository }: PoolDependencies,
  slots: readonly SlotRecord[],
): void {
  const count = slots.filter(({ status }) => status === 'quarantined').length;
  if (count <= settings.size) return;
  const reason = `${count} of its slots are in quarantine; to save their work and remove them, run: carrel pool drain`;
  throw carrelError('POOL_UNSUPPORTED', { repository: repository.name, reason });
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
  const isHere = slot?.directory === (slot && slotDirectory(root, slot));
  if (!slot || (isHere && slot.conversions === claim.conversions)) return slot;
  // A slot of another root or configuration is removed to make room for usable ones.
  if (slot.directory === slotDirectory(rootOfSlot(slot), slot)) await removeSlot(dependencies, slot);
  else await store.slots.removeDamaged(slot.id);
  return undefined;
}

export function createLease({ ids, now }: PoolDependencies, holder: string): SlotLease {
  return { id: createId('lease', ids), holder, since: new Date(now()).toISOString() };
}

export type NewSlot = Pick<SlotRecord, 'commit' | 'kind'> & { readonly conversions: string };

/** The record of a slot in the making; undefined at the cap. */
export async function insertSlot(
  dependencies: PoolDependencies,
  { commit, kind, conversions }: NewSlot,
): Promise<SlotRecord | undefined> {
  const { store, self, ids, settings } = dependencies;
  const state = { kind, status: 'creating', commit, owner: self, reason: null, conversions } as const;
  const slot = describeNewSlot(dependencies, createId('slot', ids), state);
  return (await store.slots.insert(slot, settings.size, [])) ? slot : undefined;
}

/** Randomized, so that processes that wait for the same pool do not poll at the same time. */
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
