import { setTimeout as delay } from 'node:timers/promises';
import { carrelError } from '../../domain/error/error.js';
import type { BlobOptions } from './blob-store.js';

/** How long a store may be away when the caller gives no deadline: a restart of a server, not of a machine. */
export const PATIENCE_MS = 60_000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 10_000;

/** A failure that may pass: no connection, a broken one, a server error, a blob that another writer holds. */
export class TemporaryFailure extends Error {}

export interface PatientCall extends BlobOptions {
  /** The store, for the message. */
  readonly where: string;
  readonly patienceMs: number;
}

/** Repeats an action that fails temporarily, with growing pauses until the deadline. BLOB_STORE_AWAY. */
export async function untilDeadline<T>(
  { where, patienceMs, deadline = Date.now() + patienceMs, signal }: PatientCall,
  action: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const startedAt = Date.now();
  const left = Math.max(1, deadline - startedAt);
  const end = AbortSignal.timeout(Math.min(left, LONGEST_TIMER_MS));
  const both = signal ? AbortSignal.any([signal, end]) : end;
  let problem = 'the deadline has passed';
  for (let pause = FIRST_PAUSE_MS; !end.aborted; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    signal?.throwIfAborted();
    try {
      return await action(both);
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof TemporaryFailure) && !end.aborted) throw error;
      problem = error instanceof TemporaryFailure ? error.message : problem;
    }
    // Many workers see a store return at the same moment.
    await delay(pause * (0.5 + Math.random() / 2), undefined, { signal: both }).catch(() => undefined);
  }
  signal?.throwIfAborted();
  throw carrelError('BLOB_STORE_AWAY', { where, problem, waitedMs: Date.now() - startedAt });
}

/** A timer of more than 24 days fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
