import { randomUUID } from 'node:crypto';
import { carrelError } from '../domain/error/error.js';
import { type Patience, WaitingLine } from './waiting-line.js';

/** How a `PoolManager` creates, resets and destroys its values, and how many it may have. */
export interface PoolManagerOptions<T> {
  /** Maximum number of slots; those being created, reset or destroyed count. */
  readonly maxSlots: number;
  readonly create: () => Promise<T>;
  /** Resets a value to its state after `create`. When that fails the slot is destroyed and replaced. */
  readonly reset: (value: T) => Promise<void>;
  readonly destroy: (value: T) => Promise<void>;
  /** Called for failures that the pool handled itself, so that no caller is rejected with them. */
  readonly onFailure?: ((failure: PoolFailure) => void) | undefined;
  /** Must never return the same id twice. */
  readonly createLeaseId?: (() => string) | undefined;
}

/** A failure that the pool handled itself. */
export interface PoolFailure {
  readonly during: 'create' | 'reset' | 'destroy';
  readonly error: unknown;
}

/** A slot that a caller holds. */
export interface PooledSlot<T> {
  /** Of the lease: a new one with every hand-out. `release` takes it. */
  readonly id: string;
  readonly value: T;
}

/** How many slots of a `PoolManager` are in which state, and how many callers wait. */
export interface PoolManagerStats {
  readonly maxSlots: number;
  readonly total: number;
  readonly available: number;
  readonly inUse: number;
  /** Being made, reset or destroyed at this moment. */
  readonly changing: number;
  readonly waiting: number;
}

/**
 * A warm pool of any kind of value, within one process.
 *
 * A slot is made (`changing`), then `available` or `inUse`; `release` resets it (`changing`) and makes it available
 * again. What must hold at every moment:
 * - `total` never passes `maxSlots`: a place is taken before `create` is called, and free only when `destroy` has ended.
 * - The caller that has waited longest is served next; none is overtaken, and one that has left gets nothing.
 * - A failure frees the place of its slot. A failed `create` rejects the caller that has waited longest, because that caller
 *   would have got its value.
 * - A lease is given back once. Its id is out of the books before the reset begins.
 *
 * `destroyAll` ends all of it: waiters are rejected, slots in use are destroyed too, and it resolves when every `create`,
 * `reset` and `destroy` that was under way has ended.
 */
export class PoolManager<T> {
  readonly #options: PoolManagerOptions<T>;
  readonly #available: T[] = [];
  readonly #leases = new Map<string, T>();
  readonly #line = new WaitingLine<PooledSlot<T>>();
  /** Leases that `destroyAll` ended and that their holders have yet to give back. */
  readonly #ended = new Set<string>();
  /** What is under way. */
  readonly #changes = new Set<Promise<unknown>>();
  readonly #failedDestroys: PoolFailure[] = [];
  #total = 0;
  #creating = 0;
  #isClosed = false;
  #closing: Promise<void> | undefined;

  constructor(options: PoolManagerOptions<T>) {
    const { maxSlots } = options;
    if (!Number.isInteger(maxSlots) || maxSlots < 1) {
      const expected = 'a whole number above 0';
      throw carrelError('INVALID_INPUT', { what: 'maxSlots', found: String(maxSlots), expected });
    }
    this.#options = options;
  }

  /**
   * Makes slots until `count` are available or `maxSlots` exist, and gives how many are available then. Rejects with
   * the first error when a `create` failed, after the others have ended; what they made stays.
   */
  async warmup(count: number): Promise<number> {
    this.#requireOpen();
    const missing = count - this.#available.length - this.#creating;
    const room = this.#options.maxSlots - this.#total;
    const attempts = Array.from({ length: Math.max(0, Math.min(missing, room)) }, async () => {
      const failure = await this.#make();
      this.#makeForWaiters();
      return failure ?? [];
    });
    const failures = (await Promise.all(attempts)).flat();
    this.#requireOpen();
    if (failures[0]) throw failures[0].error;
    return this.#available.length;
  }

  /**
   * An available slot, a new one while there are fewer than `maxSlots`, or the next that is released, in the order of
   * asking. Rejects with the signal's reason, ACQUIRE_TIMED_OUT, POOL_CLOSED, or what `create` failed with.
   */
  async acquire(patience: Patience = {}): Promise<PooledSlot<T>> {
    this.#requireOpen();
    const { maxSlots } = this.#options;
    const slot = this.#line.join(patience, waitedMs =>
      carrelError('ACQUIRE_TIMED_OUT', { waitedMs, cap: maxSlots }),
    );
    this.#serveWaiters();
    this.#makeForWaiters();
    return slot;
  }

  /**
   * Takes a slot back and resolves when it is reset and available, or destroyed because it could not be reset.
   * STALE_LEASE when `id` is not that of a lease, or no longer.
   */
  async release(id: string): Promise<void> {
    if (this.#ended.delete(id)) return;
    const value = this.#leases.get(id);
    if (!this.#leases.delete(id)) throw carrelError('STALE_LEASE', { lease: id });
    await this.#track(this.#reclaimSlot(value as T));
  }

  /** Destroys every slot and rejects who waits. Rejects with the first error when a `destroy` failed, after all ended. */
  destroyAll(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  stats(): PoolManagerStats {
    const available = this.#available.length;
    const inUse = this.#leases.size;
    return {
      maxSlots: this.#options.maxSlots,
      total: this.#total,
      available,
      inUse,
      changing: this.#total - available - inUse,
      waiting: this.#line.length,
    };
  }

  #requireOpen(): void {
    if (this.#isClosed) throw carrelError('POOL_CLOSED', {});
  }

  #serveWaiters(): void {
    while (this.#available.length > 0 && this.#line.serve(() => this.#lease()));
  }

  #lease(): PooledSlot<T> {
    const id = (this.#options.createLeaseId ?? randomUUID)();
    const value = this.#available.shift() as T;
    this.#leases.set(id, value);
    return { id, value };
  }

  /** As many as have nothing on the way to them, within the cap. */
  #makeForWaiters(): void {
    while (this.#line.length > this.#creating && this.#total < this.#options.maxSlots)
      void this.#makeForWaiter();
  }

  async #makeForWaiter(): Promise<void> {
    const failure = await this.#make();
    if (!failure) return;
    const isTold = this.#line.turnAway(failure.error);
    this.#makeForWaiters();
    if (!isTold) this.#tell(failure);
  }

  /** Takes a place immediately, before the result is known. */
  #make(): Promise<PoolFailure | undefined> {
    this.#total++;
    this.#creating++;
    return this.#track(this.#create());
  }

  async #create(): Promise<PoolFailure | undefined> {
    let value: T | undefined;
    const failure = await attempt('create', async () => {
      value = await this.#options.create();
    });
    this.#creating--;
    if (failure) this.#total--;
    else await this.#offer(value as T);
    return failure;
  }

  async #reclaimSlot(value: T): Promise<void> {
    const failure = await attempt('reset', () => this.#options.reset(value));
    if (!failure) return this.#offer(value);
    await this.#destroy(value);
    if (!this.#isClosed) void this.#makeForWaiter();
    this.#tell(failure);
  }

  async #offer(value: T): Promise<void> {
    if (this.#isClosed) return this.#destroy(value);
    this.#available.push(value);
    this.#serveWaiters();
  }

  async #destroy(value: T): Promise<void> {
    const failure = await attempt('destroy', () => this.#options.destroy(value));
    this.#total--;
    if (!failure) return;
    if (this.#isClosed) this.#failedDestroys.push(failure);
    else this.#tell(failure);
  }

  /** What a listener throws is its own affair and must not cost a slot. */
  #tell(failure: PoolFailure): void {
    queueMicrotask(() => this.#options.onFailure?.(failure));
  }

  async #close(): Promise<void> {
    this.#isClosed = true;
    while (this.#line.turnAway(carrelError('POOL_CLOSED', {})));
    for (const id of this.#leases.keys()) this.#ended.add(id);
    const values = [...this.#available.splice(0), ...this.#leases.values()];
    this.#leases.clear();
    for (const value of values) void this.#track(this.#destroy(value));
    while (this.#changes.size > 0) await Promise.allSettled(this.#changes);
    const [failed] = this.#failedDestroys;
    if (failed) throw failed.error;
  }

  #track<Result>(change: Promise<Result>): Promise<Result> {
    const forget = () => this.#changes.delete(change);
    this.#changes.add(change);
    void change.then(forget, forget);
    return change;
  }
}

/** Starts in a separate microtask, so that a callback that throws synchronously or calls the pool does no harm. */
async function attempt(
  during: PoolFailure['during'],
  action: () => Promise<void>,
): Promise<PoolFailure | undefined> {
  try {
    await Promise.resolve().then(action);
    return undefined;
  } catch (error) {
    return { during, error };
  }
}
