import { entry } from './catalog-entry.js';

export const poolErrors = {
  STALE_LEASE: entry<{ lease: string }>({
    kind: 'conflict',
    summary: 'The lease was already released, or its slot has been leased again. Nothing was changed.',
    message: d => `the lease ${d.lease} is no longer valid; expected the current lease of its slot`,
    hint: () => 'release each lease once; see the current leases with: carrel pool status',
  }),
  ACQUIRE_TIMED_OUT: entry<{ waitedMs: number; cap: number }>({
    kind: 'failed',
    summary: 'No slot of the pool became free within the time limit.',
    message: d => `all ${d.cap} slots were in use for ${d.waitedMs} ms`,
    hint: () =>
      'release one, or allow more with pool.size or parallelism; see what holds the slots with: carrel pool status',
  }),
  POOL_CLOSED: entry<Readonly<Record<never, never>>>({
    kind: 'conflict',
    summary: 'The pool was drained before the caller got a slot.',
    message: () => 'the pool is closed and leases no more slots',
    hint: () => 'open a new pool; list the remaining slots with: carrel pool status',
  }),
  POOL_UNSUPPORTED: entry<{ repository: string; reason: string }>({
    kind: 'environment',
    summary: 'Warm workspaces of this repository would differ from a fresh checkout.',
    message: d => `${d.repository} can't have a pool: ${d.reason}`,
    hint: () => 'create ordinary workspaces with: carrel up NAME',
  }),
  SLOT_QUARANTINED: entry<{ slot: string; reason: string }>({
    kind: 'failed',
    summary: 'Carrel could not verify that a slot is clean, and never leases it again.',
    message: d => `the slot ${d.slot} could not be reset: ${d.reason}`,
    hint: () => 'see it with: carrel pool status — then remove it with: carrel pool drain',
  }),
} as const;
