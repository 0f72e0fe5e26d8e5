import { existsSync } from 'node:fs';
import type { SlotRecord } from '../domain/slot.js';
import { evictAllTemplates } from '../workspace/template-eviction.js';
import { destroySlot } from './destroy-slot.js';
import { endProcesses } from './end-processes.js';
import type { PoolDependencies } from './pool-dependencies.js';
import { listSlots, settlePool } from './settle-pool.js';
import { rootOfSlot, slotPlace } from './slot-place.js';
import { quarantine, takeBack } from './take-back.js';
import type { DrainOutcome } from './workspace-pool.js';

/** Every slot that nobody uses goes, with its pin and its record; what was in quarantine is kept as work. */
export async function drainSlots(dependencies: PoolDependencies, unusedForMs = 0): Promise<DrainOutcome> {
  await settlePool(dependencies);
  const slots = await listAll(dependencies);
  let destroyed = 0;
  const isOld = (slot: SlotRecord) => dependencies.now() - Date.parse(slot.changedAt) >= unusedForMs;
  for (const slot of slots.filter(isOld)) if (await drainSlot(dependencies, slot)) destroyed++;
  const left = await listAll(dependencies);
  const { git, root, repository } = dependencies;
  await evictAllTemplates(git, { root, repositoryId: repository.id, commonDir: repository.commonDir });
  return { destroyed, busy: left.length };
}

/** Below whatever root, as long as that is there: a disk that is not mounted now still has what is in its slots. */
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
  await destroySlot(dependencies, owned, isClean ? 'rubbish' : 'work');
  return true;
}

/** Whether all that was in a quarantined slot could be taken out of it after all. Its commit is not known when its pin is gone. */
async function isEmptied(dependencies: PoolDependencies, slot: SlotRecord): Promise<boolean> {
  if (slot.commit === '') return false;
  const { slot: taken } = await takeBack(dependencies, slot, 'keep', { status: 'resetting' });
  return taken.status === 'resetting';
}
