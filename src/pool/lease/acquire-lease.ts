import type { SlotKind, SlotLease, SlotRecord } from '../../domain/workspace/slot.js';
import { makeSlot, retargetSlot } from '../lifecycle/make-slot.js';
import type { PoolDependencies } from '../pool-dependencies.js';
import { slotEvent } from '../slot/slot-event.js';
import { slotPlace } from '../slot/slot-place.js';
import type { AcquireRequest, WorkspaceLease } from '../workspace-pool.js';
import type { ClaimLine } from './claim-line.js';
import { claimSlot, createLease } from './claim-slot.js';

export interface AcquireSurroundings {
  readonly line: ClaimLine;
  /** Aborted when the pool closes. */
  readonly closing: AbortSignal;
  readonly chooseKind: (wanted?: SlotKind) => Promise<SlotKind>;
  readonly readConversions: () => Promise<string>;
}

/** Claims a slot in turn; making and retargeting it happens outside, at the same time as others'. */
export async function acquireLease(
  dependencies: PoolDependencies,
  { line, closing, chooseKind, readConversions }: AcquireSurroundings,
  request: AcquireRequest,
): Promise<WorkspaceLease> {
  const startedAt = performance.now();
  const [newKind, conversions] = await Promise.all([chooseKind(request.kind), readConversions()]);
  const signal = request.signal ? AbortSignal.any([request.signal, closing]) : closing;
  const patience = { signal, timeoutMs: request.timeoutMs };
  const { slot, isWarm } = await line.inTurn(patience, onPause =>
    claimSlot(dependencies, { ...request, newKind, conversions, startedAt, signal, onPause }),
  );
  const ready = isWarm
    ? await retargetSlot(dependencies, slot, request.commit, request.signal)
    : await makeLeased(dependencies, slot, request);
  if (request.signal?.aborted) await giveBack(dependencies, ready);
  request.signal?.throwIfAborted();
  return describeLease(ready, isWarm);
}

function makeLeased(dependencies: PoolDependencies, slot: SlotRecord, request: AcquireRequest) {
  const lease = createLease(dependencies, request.holder);
  return makeSlot(dependencies, slot, { status: 'leased', lease }, request.signal);
}

/** It was not used: it is still clean. */
async function giveBack({ store }: PoolDependencies, slot: SlotRecord): Promise<void> {
  const expected = { status: 'leased', leaseId: slot.lease?.id ?? null } as const;
  const patch = { status: 'free', lease: null, owner: null } as const;
  await store.slots.update(slot.id, expected, patch, [slotEvent('slot.released', slot)]);
}

function describeLease(slot: SlotRecord, isWarm: boolean): WorkspaceLease {
  const { workTree, gitDir } = slotPlace(slot.directory);
  const { id } = slot.lease as SlotLease;
  return { id, slotId: slot.id, path: workTree, gitDir, commit: slot.commit, kind: slot.kind, isWarm };
}
