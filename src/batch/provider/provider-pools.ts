import { dirname } from 'node:path';
import type { Context } from '../../operations/context.js';
import { type OpenPool, openPool } from '../../operations/pool/open-pool.js';
import type { WorkspaceLease } from '../../pool/workspace-pool.js';
import { createOverlayProbe, type FindOverlayObstacle } from '../../workspace/template/overlay-obstacle.js';
import type { SealedBase } from '../base/sealed-base.js';
import type { ProviderDirectory } from './provider-directory.js';

/** The pools of a batch, one per base, opened on first use. */
export interface BasePools {
  acquire(base: SealedBase, holder: string, signal: AbortSignal | undefined): Promise<WorkspaceLease>;
  reset(base: SealedBase, leaseId: string): Promise<void>;
  release(base: SealedBase, leaseId: string): Promise<void>;
  warm(bases: readonly SealedBase[], signal: AbortSignal | undefined): Promise<void>;
  countFree(): number;
  close(): Promise<void>;
}

interface PoolOfBase extends OpenPool {
  /** In the provider's directory. */
  readonly repository: string;
  free: number;
}

/**
 * When every task has its own base, slots of finished bases would pile up: when more than `mostFree` are free, the
 * least recently used pool is removed in the background.
 */
export function createBasePools(
  context: Context,
  batchDirectory: ProviderDirectory,
  mostFree: number,
): BasePools {
  // The one that was used last is at the end.
  const pools = new Map<string, Promise<PoolOfBase>>();
  const settled = new Map<string, PoolOfBase>();
  // Leases and waiters: counted before the first await, so that no pool is removed while in use.
  const users = new Map<string, number>();
  const removals = new Set<Promise<unknown>>();
  // Their directories are siblings on the same file system.
  const findOverlayObstacle = createOverlayProbe(dirname);

  const open = (base: SealedBase): Promise<PoolOfBase> => {
    const opening = pools.get(base.hash) ?? openPoolOf(context, batchDirectory, base, findOverlayObstacle);
    pools.delete(base.hash);
    pools.set(base.hash, opening);
    opening.then(
      pool => settled.set(base.hash, pool),
      () => pools.delete(base.hash),
    );
    return opening;
  };
  const count = ({ hash }: SealedBase, change: 1 | -1) => users.set(hash, (users.get(hash) ?? 0) + change);
  const countFree = () => [...settled.values()].reduce((sum, { free }) => sum + free, 0);
  const remove = (hash: string, pool: PoolOfBase): void => {
    pools.delete(hash);
    settled.delete(hash);
    const removal = removePool(batchDirectory, pool).catch(error => context.narrate(`warning: ${error}`));
    removals.add(removal);
    removal.finally(() => removals.delete(removal));
  };
  const trim = (): void => {
    for (const hash of [...pools.keys()].slice(0, -1)) {
      const pool = settled.get(hash);
      if (pool && countFree() > mostFree && !users.get(hash)) remove(hash, pool);
    }
  };
  return {
    acquire: async (base, holder, signal) => {
      count(base, 1);
      try {
        const opened = await open(base);
        const lease = await opened.pool.acquire({ commit: base.commit, holder, signal });
        if (lease.isWarm) opened.free--;
        return lease;
      } catch (error) {
        count(base, -1);
        throw error;
      }
    },
    reset: async (base, leaseId) => (await open(base)).pool.reset(leaseId, { work: 'discard' }),
    release: async (base, leaseId) => {
      const opened = await open(base);
      const { status } = await opened.pool.release(leaseId, { work: 'discard' });
      count(base, -1);
      if (status === 'free') opened.free++;
      trim();
    },
    warm: async (bases, signal) => {
      for (const base of new Set(bases)) {
        const opened = await open(base);
        const wanted = bases.filter(each => each === base).length;
        opened.free = await opened.pool.warmup(wanted, base.commit, { signal });
      }
    },
    countFree,
    close: async () => {
      for (const [hash, pool] of settled) remove(hash, pool);
      await Promise.all(removals);
    },
  };
}

async function openPoolOf(
  context: Context,
  batchDirectory: ProviderDirectory,
  base: SealedBase,
  findOverlayObstacle: FindOverlayObstacle,
): Promise<PoolOfBase> {
  const directory = await batchDirectory.makeRepository(base);
  const repository = await context.backends.git.locate(directory);
  const opened = await openPool(context, repository, findOverlayObstacle);
  return { ...opened, repository: directory, free: 0 };
}

async function removePool(
  batchDirectory: ProviderDirectory,
  { pool, close, repository }: PoolOfBase,
): Promise<void> {
  try {
    await pool.drain();
  } finally {
    await close();
  }
  await batchDirectory.removeRepository(repository);
}
