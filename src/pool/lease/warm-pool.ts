import { isCarrelError } from '../../domain/error/error.js';
import type { SlotKind, SlotRecord } from '../../domain/workspace/slot.js';
import { makeSlot, retargetSlot } from '../lifecycle/make-slot.js';
import { listSlots, recoverSlots } from '../lifecycle/recover-slots.js';
import { removeFreeSlot } from '../lifecycle/remove-free-slot.js';
import type { PoolDependencies } from '../pool-dependencies.js';
import { insertSlot, type NewSlot } from './claim-slot.js';

export interface WarmPool {
  readonly count: number;
  readonly commit: string;
  /** Only these count, when given. */
  readonly kind: SlotKind | undefined;
  readonly newKind: SlotKind;
  /** The present ones; see `SlotRecord`. */
  readonly conversions: string;
}

/** Free slots at other commits are moved before new ones are made. Returns how many are free at the commit in the end. */
export async function warmPool(
  dependencies: PoolDependencies,
  { count, commit, kind, newKind, conversions }: WarmPool,
  signal: AbortSignal | undefined,
): Promise<number> {
  await recoverSlots(dependencies);
  const isCounted = (slot: SlotRecord) => slot.status === 'free' && (kind ?? slot.kind) === slot.kind;
  const counted = (await listSlots(dependencies)).slots.filter(isCounted);
  const free = counted.filter(slot => slot.conversions === conversions);
  for (const stale of counted.filter(slot => !free.includes(slot)))
    await removeFreeSlot(dependencies, [stale]);
  let ready = free.filter(slot => slot.commit === commit).length;
  for (const slot of free.filter(other => other.commit !== commit)) {
    if (ready >= count) break;
    if (await moveFree(dependencies, slot, commit, signal)) ready++;
  }
  while (ready < count) {
    if (await addSlot(dependencies, { commit, kind: newKind, conversions }, signal)) ready++;
    else if (!(await removeFreeSlot(dependencies, (await listSlots(dependencies)).elsewhere))) break;
  }
  return ready;
}

async function moveFree(
  dependencies: PoolDependencies,
  slot: SlotRecord,
  commit: string,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const { store, self } = dependencies;
  signal?.throwIfAborted();
  const patch = { status: 'resetting', owner: self } as const;
  const taken = await store.slots.update(slot.id, { status: 'free', owner: null }, patch, []);
  if (!taken) return false;
  await retargetSlot(dependencies, taken, commit, signal);
  const free = { status: 'free', owner: null } as const;
  return (await store.slots.update(slot.id, { status: 'resetting', owner: self }, free, [])) !== undefined;
}

/** False at the cap and at the limits of the disk. */
async function addSlot(
  dependencies: PoolDependencies,
  wanted: NewSlot,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  signal?.throwIfAborted();
  const slot = await insertSlot(dependencies, wanted);
  if (!slot) return false;
  try {
    await makeSlot(dependencies, slot, { status: 'free', owner: null }, signal);
    return true;
  } catch (error) {
    if (isCarrelError(error, 'LIMIT_REACHED')) return false;
    throw error;
  }
}
