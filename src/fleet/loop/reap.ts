import type { Claim, EngineTiming, Reaped } from '../engine/engine.js';
import { endClaim } from '../ledger/end-claim.js';
import type { LedgerSession } from '../ledger/ledger-session.js';
import { findSilentClaims } from '../ledger/reading/find-claims.js';

/**
 * See `Engine.reap`. After an outage, or after this machine was suspended, every claim looks silent; so nothing is ended
 * before every host had the time to beat.
 */
export function createReaper(ledger: LedgerSession, { lifeMs }: EngineTiming): () => Promise<Reaped> {
  let answeringSince: number | undefined;
  let lastAnswer = 0;
  return async () => {
    const start = performance.now();
    if (answeringSince === undefined || start - lastAnswer > lifeMs) answeringSince = start;
    try {
      const graceMs = Math.max(lifeMs - (start - answeringSince), lifeMs - (await ledger.runningForMs()));
      const reaped = graceMs > 0 ? { ended: [], gaveUp: [] } : await endSilent(ledger, lifeMs);
      lastAnswer = performance.now();
      return { graceMs: Math.max(0, graceMs), ...reaped };
    } catch (error) {
      answeringSince = undefined;
      throw error;
    }
  };
}

async function endSilent(ledger: LedgerSession, lifeMs: number): Promise<Omit<Reaped, 'graceMs'>> {
  const ended: Claim[] = [];
  const gaveUp: Claim[] = [];
  for (const claim of await findSilentClaims(ledger, lifeMs)) {
    const text = `the host ${claim.host} did not answer`;
    const outcome = await endClaim(ledger, claim, { kind: 'silent', text, lifeMs });
    if (outcome !== undefined) ended.push(claim);
    if (outcome === 'gave-up') gaveUp.push(claim);
  }
  await ledger.queue.tidy();
  return { ended, gaveUp };
}
