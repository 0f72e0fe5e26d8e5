import { setTimeout as sleep } from 'node:timers/promises';
import { carrelError } from '../domain/error.js';
import type { ProcessIdentity } from '../domain/process-identity.js';
import type { Lock, LockTable } from './store.js';

/** A holder that can't be looked up (another pid namespace) is taken for dead after this many silent milliseconds. */
const SILENCE_OF_UNKNOWN_MS = 60_000;
/** How often a holder shows that it is there; a third, so that two renewals may fail. */
const RENEWAL_MS = SILENCE_OF_UNKNOWN_MS / 3;

/**
 * The token that a user of a store is done with and could not give back, on a full disk for instance. Without it, the
 * one who then undoes what it began would wait for itself.
 */
const unreleased = new WeakMap<object, string>();

export interface RepositoryLockOptions {
  readonly store: { readonly locks: LockTable };
  readonly repositoryId: string;
  /** For messages. */
  readonly repositoryName: string;
  readonly owner: ProcessIdentity;
  readonly isAlive: (identity: ProcessIdentity) => 'alive' | 'dead' | 'unknown';
  /** A new token with every call; it tells one holding of the lock from the next. */
  readonly createToken: () => string;
  readonly now: () => number;
  /** Milliseconds to wait for the lock. Default 60,000. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs `action` while nobody else, in this process or another, holds the lock of the repository. The lock of a dead
 * process is taken over at once. Not re-entrant: an action that asks for the same lock waits for itself.
 * LOCK_TIMEOUT when a living process does not let go in time.
 */
export async function withRepositoryLock<T>(
  options: RepositoryLockOptions,
  action: () => Promise<T>,
): Promise<T> {
  const lock = await acquire(options);
  const stopRenewing = keepRenewing(options, lock);
  const release = async (): Promise<void> => {
    await stopRenewing();
    unreleased.set(options.store, lock.token);
    await options.store.locks.release(lock.name, lock.token);
    unreleased.delete(options.store);
  };
  let result: T;
  try {
    result = await action();
  } catch (error) {
    // The failure of the action is what the caller must hear of, also when the lock can't be given back.
    await release().catch(() => undefined);
    throw error;
  }
  await release();
  return result;
}

async function acquire(options: RepositoryLockOptions): Promise<Lock> {
  const { store, repositoryName, timeoutMs = 60_000, signal } = options;
  const start = performance.now();
  for (;;) {
    signal?.throwIfAborted();
    const lock = createLock(options);
    // Looking first: a write, even one that fails, would stand in the way of the holder's.
    const holder = await store.locks.find(lock.name);
    const isFree = !holder || isAbandoned(holder, options);
    if (isFree && (await store.locks.acquire(lock, holder?.token))) return lock;
    const waitedMs = Math.round(performance.now() - start);
    if (waitedMs >= timeoutMs) {
      const owner = holder ? `process ${holder.owner.pid}` : 'another process';
      throw carrelError('LOCK_TIMEOUT', { repository: repositoryName, waitedMs, owner });
    }
    await pause(waitedMs, signal);
  }
}

function createLock({ repositoryId, owner, createToken, now }: RepositoryLockOptions): Lock {
  const acquiredAt = new Date(now()).toISOString();
  return { name: `repository:${repositoryId}`, token: createToken(), owner, acquiredAt };
}

function isAbandoned(holder: Lock, { store, isAlive, now }: RepositoryLockOptions): boolean {
  if (unreleased.get(store) === holder.token) return true;
  const state = isAlive(holder.owner);
  return (
    state === 'dead' ||
    (state === 'unknown' && now() - Date.parse(holder.acquiredAt) >= SILENCE_OF_UNKNOWN_MS)
  );
}

/**
 * Uneven, so that waiting processes spread, and longer the longer one has waited: of 64 processes that wait at once,
 * each look of one takes processor time from the one that works (64 x `up` took 70 s of it, and 43 s this way).
 */
async function pause(waitedMs: number, signal: AbortSignal | undefined): Promise<void> {
  const longestMs = Math.min(40 + waitedMs / 4, 400);
  const wait = sleep(3 + Math.random() * longestMs, undefined, signal && { signal });
  await wait.catch(() => signal?.throwIfAborted());
}

/** Gives a function that ends it and waits for a renewal under way, which would otherwise undo the release. */
function keepRenewing(options: RepositoryLockOptions, lock: Lock): () => Promise<void> {
  let renewal = Promise.resolve();
  const timer = setInterval(() => {
    renewal = renew(options, lock);
  }, RENEWAL_MS).unref();
  return () => {
    clearInterval(timer);
    return renewal;
  };
}

/** A failure is left to the next try: while the holder can be looked up, nobody asks for its age. */
async function renew({ store, now }: RepositoryLockOptions, lock: Lock): Promise<void> {
  const renewed = { ...lock, acquiredAt: new Date(now()).toISOString() };
  await store.locks.acquire(renewed, lock.token).catch(() => undefined);
}
