import { setTimeout as sleep } from 'node:timers/promises';
import { carrelError } from '../domain/error/error.js';
import { HEARTBEAT_MS, LONGEST_SILENCE_MS, type ProcessIdentity } from '../domain/process-identity.js';
import type { Lock, LockTable } from './store.js';

/**
 * The token of a lock that could not be released, on a full disk for instance. Without it, the
 * caller that then undoes its changes would wait for itself.
 */
const unreleasedTokens = new WeakMap<object, string>();

export interface RepositoryLockOptions {
  readonly store: { readonly locks: LockTable };
  readonly repositoryId: string;
  /** For messages. */
  readonly repositoryName: string;
  readonly owner: ProcessIdentity;
  readonly isAlive: (identity: ProcessIdentity) => 'alive' | 'dead' | 'unknown';
  /** A new token with every call; it distinguishes one holder of the lock from the next. */
  readonly createToken: () => string;
  readonly now: () => number;
  /** Milliseconds to wait for the lock. Default 60,000. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs `action` while no other caller, in this process or another, holds the lock of the repository. The lock of a dead
 * process is taken over at once. Not re-entrant: an action that requests the same lock waits for itself. LOCK_TIMEOUT
 * when a living process does not release it in time.
 */
export async function withRepositoryLock<T>(
  options: RepositoryLockOptions,
  action: () => Promise<T>,
): Promise<T> {
  const lock = await acquire(options);
  const stopRenewing = keepRenewing(options, lock);
  const release = async (): Promise<void> => {
    await stopRenewing();
    unreleasedTokens.set(options.store, lock.token);
    await options.store.locks.release(lock.name, lock.token);
    unreleasedTokens.delete(options.store);
  };
  let result: T;
  try {
    result = await action();
  } catch (error) {
    // The caller must get the failure of the action, even when the lock cannot be released.
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
    // Reads first: a write, even a failed one, would block the holder's writes.
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
  if (unreleasedTokens.get(store) === holder.token) return true;
  const state = isAlive(holder.owner);
  return (
    state === 'dead' || (state === 'unknown' && now() - Date.parse(holder.acquiredAt) >= LONGEST_SILENCE_MS)
  );
}

/**
 * Randomized, so that waiting processes spread out, and longer the longer a process has waited: of 64 waiting
 * processes, each check takes processor time from the one that works (64 x `up` took 70 s of it, and 43 s this way).
 */
async function pause(waitedMs: number, signal: AbortSignal | undefined): Promise<void> {
  const longestMs = Math.min(40 + waitedMs / 4, 400);
  const wait = sleep(3 + Math.random() * longestMs, undefined, signal && { signal });
  await wait.catch(() => signal?.throwIfAborted());
}

/** Returns a function that stops it and waits for a running renewal, which would otherwise undo the release. */
function keepRenewing(options: RepositoryLockOptions, lock: Lock): () => Promise<void> {
  let renewal = Promise.resolve();
  const timer = setInterval(() => {
    renewal = renew(options, lock);
  }, HEARTBEAT_MS).unref();
  return () => {
    clearInterval(timer);
    return renewal;
  };
}

/** A failure is left to the next interval: while the holder can be looked up, its age is not checked. */
async function renew({ store, now }: RepositoryLockOptions, lock: Lock): Promise<void> {
  const renewed = { ...lock, acquiredAt: new Date(now()).toISOString() };
  await store.locks.acquire(renewed, lock.token).catch(() => undefined);
}
