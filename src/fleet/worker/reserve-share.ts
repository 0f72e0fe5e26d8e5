import { setTimeout as delay } from 'node:timers/promises';
import { carrelError } from '../../domain/error/error.js';
import type { Claim, Engine } from '../engine/engine.js';

/** Between two requests for money that other claims hold. */
const WAIT_MS = 1000;
/** Less is no budget for an agent. */
const LEAST_USD = 0.000_001;

/**
 * Reserves what the agent of a claim may spend: the cap of its job, or the rest of the run's limit. Waits while other
 * claims hold the rest. Undefined when it is spent. CLAIM_LOST.
 */
export async function reserveShare(
  engine: Pick<Engine, 'reserve' | 'progress'>,
  claim: Claim,
  capUsd: number,
  signal: AbortSignal,
): Promise<number | undefined> {
  const { run, task } = claim.job.key;
  for (;;) {
    const { costLimitUsd, spentUsd } = await engine.progress(run);
    const rest = costLimitUsd === null ? capUsd : costLimitUsd - spentUsd;
    if (rest < LEAST_USD) return undefined;
    const share = Math.min(capUsd, rest);
    const answer = await engine.reserve(claim, share);
    if (answer === 'reserved') return share;
    if (answer === 'stale' || signal.aborted)
      throw carrelError('CLAIM_LOST', { job: task, reason: 'another host has it' });
    await delay(WAIT_MS, undefined, { signal }).catch(() => undefined);
  }
}
