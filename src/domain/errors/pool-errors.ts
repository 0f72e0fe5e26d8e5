import { entry } from './entry.js';

export const poolErrors = {
  STALE_LEASE: entry<{ lease: string }>({
    kind: 'conflict',
    summary:
      'A lease was given back already, or its slot has been handed out anew since. Nothing was changed.',
    message: d => `the lease ${d.lease} is no longer valid; expected the present one of its slot`,
    hint: () => 'give every lease back once; see who has which slot with: carrel pool status',
  }),
  ACQUIRE_TIMED_OUT: entry<{ waitedMs: number; cap: number }>({
    kind: 'failed',
    summary: 'No slot of the pool came free within the time limit.',
    message: d => `all ${d.cap} slots were in use for ${d.waitedMs} ms`,
    hint: () => 'see who has them with: carrel pool status — or raise pool.size',
  }),
  POOL_CLOSED: entry<Readonly<Record<never, never>>>({
    kind: 'conflict',
    summary: 'The pool was drained while somebody waited for a slot, or before.',
    message: () => 'the pool is closed and hands out no more slots',
    hint: () => 'open a new one; of the slots that remain tells: carrel pool status',
  }),
  POOL_UNSUPPORTED: entry<{ repository: string; reason: string }>({
    kind: 'environment',
    summary: 'Warm workspaces of this repository would not be exactly what a checkout of it is.',
    message: d => `${d.repository} can't have a pool: ${d.reason}`,
    hint: () => 'make ordinary workspaces with: carrel up NAME',
  }),
  SLOT_QUARANTINED: entry<{ slot: string; reason: string }>({
    kind: 'failed',
    summary: 'A slot could not be proven clean and is never handed out again.',
    message: d => `the slot ${d.slot} could not be brought back: ${d.reason}`,
    hint: () => 'look at it with: carrel pool status — and remove it with: carrel pool drain',
  }),
} as const;
