import { carrelError } from '../../domain/error/error.js';
import { isSameProcess, type ProcessIdentity } from '../../domain/process-identity.js';
import type { SlotRecord } from '../../domain/workspace/slot.js';
import { findOwnerState } from '../../exec/process/identify-process.js';
import { killOrphans } from '../../exec/stop/kill-tree.js';
import { removeSlot } from '../../pool/lifecycle/remove-slot.js';
import { endProcesses } from '../../pool/lifecycle/stop-slot-processes.js';
import type { PoolDependencies } from '../../pool/pool-dependencies.js';
import type { Repository } from '../../workspace/backend.js';
import type { Context } from '../context.js';
import { removeAtEnd } from '../remains/remains-keeper.js';
import { removeNow } from '../remains/remove-remains.js';
import { describePool } from './open-pool.js';

/**
 * Destroys the slots of a pool that is no longer needed, with everything in them, and deletes what was moved out of them, even where an
 * earlier capture failed. What another live process owns stays for now.
 */
export async function removePoolFiles(context: Context, repository: Repository): Promise<void> {
  const { store } = context;
  const keeper = removeAtEnd(context);
  const pool = await describePool(context, repository, keeper.announce);
  const { slots, damaged } = await store.slots.list(repository.id);
  // Their directories are deleted with the folder of the pool.
  for (const id of damaged) await store.slots.removeDamaged(id);
  try {
    for (const slot of slots.filter(({ owner }) => isFree(context, owner)))
      await stopAndRemoveSlot(pool, slot);
  } finally {
    await keeper.close();
  }
  await deleteRemains(context, repository.id);
}

const isFree = ({ self }: Pick<Context, 'self'>, owner: ProcessIdentity | null): boolean =>
  owner === null || isSameProcess(owner, self) || findOwnerState(owner) === 'dead';

async function stopAndRemoveSlot(pool: PoolDependencies, slot: SlotRecord): Promise<void> {
  const { owner, directory } = slot;
  if (owner && findOwnerState(owner) === 'dead') await killOrphans(owner, { graceMs: 2000 });
  const survivors = await endProcesses(slot);
  if (survivors !== null) throw carrelError('PROCESSES_LEFT', { place: directory, reason: survivors });
  await removeSlot(pool, slot);
}

async function deleteRemains(context: Context, repositoryId: string): Promise<void> {
  const { store, self } = context;
  for (const remains of await store.remains.list(repositoryId)) {
    if (!isFree(context, remains.owner) && remains.failure === undefined) continue;
    const own = await store.remains.adopt(remains, self);
    if (!own || !(await store.remains.update(own, { holds: 'rubbish' }))) continue;
    const warnings = await removeNow(context, { ...own, holds: 'rubbish' });
    for (const warning of warnings) context.narrate(`warning: ${warning}`);
  }
}
