import { existsSync } from 'node:fs';
import type { SlotRecord } from '../../domain/workspace/slot.js';
import { evictAllTemplates } from '../../workspace/template/template-eviction.js';
import type { PoolDependencies } from '../pool-dependencies.js';
import { rootOfSlot, slotPlace } from '../slot/slot-place.js';
import type { DrainOutcome } from '../workspace-pool.js';
import { quarantine, reclaimSlot } from './reclaim-slot.js';
import { listSlots, recoverSlots } from './recover-slots.js';
import { removeSlot } from './remove-slot.js';
import { endProcesses } from './stop-slot-processes.js';

/** Removes every unused slot, with its pin and its record; the content of quarantined slots is kept as work. */
export async function drainSlots(dependencies: PoolDependencies, unusedForMs = 0): Promise<DrainOutcome> {
  await recoverSlots(dependencies);
  const slots = await listAll(dependencies);
  let destroyed = 0;
  // One from a time when the clock was ahead counts as used just now.
  const unusedMs = (slot: SlotRecord) => Math.max(0, dependencies.now() - Date.parse(slot.changedAt));
  const isOld = (slot: SlotRecord) => unusedMs(slot) >= unusedForMs;
  for (const slot of slots.filter(isOld)) if (await drainSlot(dependencies, slot)) destroyed++;
  const left = await listAll(dependencies);
  const { git, root, repository } = dependencies;
  await evictAllTemplates(git, { root, repositoryId: repository.id, commonDir: repository.commonDir });
  return { destroyed, busy: left.length };
}

/** In any root that exists: a disk that is not mounted now still has the content of its slots. */
async function listAll(dependencies: PoolDependencies): Promise<SlotRecord[]> {
  const { slots, elsewhere } = await listSlots(dependencies);
  return [...slots, ...elsewhere.filter(slot => existsSync(rootOfSlot(slot)))];
}

async function drainSlot(dependencies: PoolDependencies, slot: SlotRecord): Promise<boolean> {
  const { store, self } = dependencies;
  const { status } = slot;
  if (status !== 'free' && status !== 'quarantined') return false;
  const patch = { status: 'resetting', owner: self } as const;
  const taken = await store.slots.update(slot.id, { status, owner: null }, patch, []);
  if (!taken) return false;
  const survivors = await endProcesses(taken);
  if (survivors !== null) {
    await quarantine(dependencies, taken, survivors);
    return false;
  }
  const isClean = status === 'free' || (await isEmptied(dependencies, taken));
  const owned = await store.slots.find(slot.id);
  // What lies aside and could not be moved out is not among the files that a snapshot of the slot would hold.
  if (!owned || (!isClean && existsSync(slotPlace(slot.directory).aside))) return false;
  await removeSlot(dependencies, owned, isClean ? 'rubbish' : 'work');
  return true;
}

/** Whether all that was in a quarantined slot could be moved out of it. Its commit is not known when its pin is gone. */
async function isEmptied(dependencies: PoolDependencies, slot: SlotRecord): Promise<boolean> {
  if (slot.commit === '') return false;
  const { slot: taken } = await reclaimSlot(dependencies, slot, 'keep', { status: 'resetting' });
  return taken.status === 'resetting';
}
