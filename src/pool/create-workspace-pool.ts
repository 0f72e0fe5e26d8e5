import { setMaxListeners } from 'node:events';
import { carrelError } from '../domain/error/error.js';
import type { SlotRecord } from '../domain/workspace/slot.js';
import { acquireLease } from './lease/acquire-lease.js';
import { createClaimLine } from './lease/claim-line.js';
import { releaseLease, requireLease, resetLease } from './lease/release-lease.js';
import { warmPool } from './lease/warm-pool.js';
import { adoptSlot } from './lifecycle/adopt-slot.js';
import { createKindChooser } from './lifecycle/choose-kinds.js';
import { createConversionsReader } from './lifecycle/conversion-digest.js';
import { drainSlots } from './lifecycle/drain-slots.js';
import { listSlots } from './lifecycle/recover-slots.js';
import { removeSlot } from './lifecycle/remove-slot.js';
import type { PoolDependencies } from './pool-dependencies.js';
import type { WorkspacePool, WorkspacePoolStats } from './workspace-pool.js';

/**
 * States and who moves them: see `SlotStatus`. What always holds:
 * - Every change of a slot's status is a compare-and-swap in the store; the process that succeeded owns the slot until it is free.
 * - A slot is `free` only after a verified reset, or when it was just created.
 * - A slot whose owner is dead is recovered by the next process; a slot is never taken from a living process.
 * - What a lease leaves is in the slot's own directory until it is recorded as remains.
 */
export function createWorkspacePool(dependencies: PoolDependencies): WorkspacePool {
  const chooseKind = createKindChooser(dependencies);
  const readConversions = createConversionsReader(dependencies.git, dependencies.repository.commonDir);
  const closing = new AbortController();
  // Every caller who waits listens to it, and there may be any number of them.
  setMaxListeners(0, closing.signal);
  const line = createClaimLine(dependencies.settings.size);
  const wakeAfter = async <T>(action: Promise<T>): Promise<T> => action.finally(() => line.wake());
  return {
    warmup: async (count, commit, { kind, signal } = {}) => {
      closing.signal.throwIfAborted();
      const wanted = {
        count,
        commit,
        newKind: await chooseKind(kind),
        kind,
        conversions: await readConversions(),
      };
      return wakeAfter(warmPool(dependencies, wanted, signal));
    },
    acquire: request =>
      acquireLease(dependencies, { line, closing: closing.signal, chooseKind, readConversions }, request),
    reset: (leaseId, options = {}) => resetLease(dependencies, leaseId, options),
    handOver: (leaseId, owner) => handOver(dependencies, leaseId, owner),
    release: (leaseId, options = {}) => wakeAfter(releaseLease(dependencies, leaseId, options)),
    adopt: async commit => adoptSlot(dependencies, commit, await readConversions()),
    forget: slotId => wakeAfter(forget(dependencies, slotId)),
    drain: unusedForMs => {
      const error = carrelError('POOL_CLOSED', {});
      closing.abort(error);
      line.close(error);
      return drainSlots(dependencies, unusedForMs);
    },
    stats: () => countSlots(dependencies, line.waiting()),
  };
}

async function handOver(
  dependencies: PoolDependencies,
  leaseId: string,
  owner: SlotRecord['owner'],
): Promise<void> {
  const { id } = await requireLease(dependencies, leaseId);
  const given = await dependencies.store.slots.update(id, { status: 'leased', leaseId }, { owner }, []);
  if (!given) throw carrelError('STALE_LEASE', { lease: leaseId });
}

async function forget(dependencies: PoolDependencies, slotId: string): Promise<void> {
  const slot = await dependencies.store.slots.find(slotId);
  if (slot?.status === 'adopting') await removeSlot(dependencies, slot);
}

async function countSlots(dependencies: PoolDependencies, waiting: number): Promise<WorkspacePoolStats> {
  const { slots: here, elsewhere, damaged } = await listSlots(dependencies);
  const slots = [...here, ...elsewhere];
  const count = (...statuses: SlotRecord['status'][]) =>
    slots.filter(({ status }) => statuses.includes(status)).length;
  return {
    total: slots.length + damaged.length,
    free: count('free'),
    leased: count('leased'),
    quarantined: count('quarantined') + damaged.length,
    changing: count('creating', 'resetting', 'adopting', 'destroying'),
    waiting,
    cap: dependencies.settings.size,
  };
}
