import { carrelError, isCarrelError } from '../../domain/error/error.js';
import { PoolManager } from '../../pool/pool-manager.js';
import type { Patience } from '../../pool/waiting-line.js';

/** The right to use one of the environments of a provider. */
export interface Place {
  /** Idempotent. */
  leave(): Promise<void>;
}

/** As many places as environments may be in use at once; callers get them in the order in which they asked. */
export interface EnvironmentPlaces {
  /** Rejects with the reason of the signal, ACQUIRE_TIMED_OUT or PROVIDER_CLOSED. */
  enter(patience: Patience): Promise<Place>;
  waiting(): number;
  /** Rejects all waiting callers. */
  close(): Promise<void>;
}

export function createPlaces(count: number): EnvironmentPlaces {
  // Places have no content: the environments are made and reset by the caller that has one.
  const nothing = async () => undefined;
  const places = new PoolManager({ maxSlots: count, create: nothing, reset: nothing, destroy: nothing });
  return {
    enter: async patience => {
      const { id } = await places.acquire(patience).catch(explain);
      let leaving: Promise<void> | undefined;
      return { leave: () => (leaving ??= places.release(id)) };
    },
    waiting: () => places.stats().waiting,
    close: () => places.destroyAll(),
  };
}

function explain(error: unknown): never {
  if (isCarrelError(error, 'POOL_CLOSED')) throw carrelError('PROVIDER_CLOSED', { call: 'acquire' }, error);
  throw error;
}
