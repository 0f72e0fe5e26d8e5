import type { Claimed, Handled } from '../engine/engine.js';
import type { WorkHost } from '../engine/host.js';
import { endClaim } from '../ledger/end-claim.js';
import type { LedgerSession } from '../ledger/ledger-session.js';
import { recordResult } from '../ledger/record-result.js';
import type { RunningClaim, RunningClaims } from './running-claims.js';
import type { Spool } from './spool.js';

export interface HandlingParts {
  readonly ledger: LedgerSession;
  readonly host: WorkHost;
  readonly session: string;
  readonly running: RunningClaims;
  readonly spool: Spool;
  readonly handle: (claimed: Claimed) => Promise<Handled>;
}

/** From the claim to its end. Never rejects: what can't be recorded is spooled, and other claims are left to `reap`. */
export async function handleClaim(parts: HandlingParts, one: RunningClaim): Promise<void> {
  const { host, running } = parts;
  let isSpooled = false;
  try {
    const outcome = await callHandler(parts, one);
    one.isFinished = true;
    isSpooled = await settle(parts, one, outcome);
  } catch (error) {
    host.onTrouble?.(error);
  } finally {
    one.isFinished = true;
    // A spooled result keeps its claim alive.
    if (!isSpooled) running.remove(one.claim);
  }
}

type Outcome = Handled | { readonly kind: 'crashed'; readonly reason: string };

async function callHandler({ host, handle }: HandlingParts, one: RunningClaim): Promise<Outcome> {
  try {
    // The host was stopped while it claimed.
    if (one.abort.signal.aborted) return { kind: 'left', reason: String(one.abort.signal.reason) };
    const reason = await host.accept?.(one.claim.job);
    if (reason !== undefined) return { kind: 'left', reason };
    const report: Claimed['report'] = said => {
      one.unwritten = said;
    };
    return await handle({ claim: one.claim, signal: one.abort.signal, report });
  } catch (error) {
    host.onTrouble?.(error);
    return { kind: 'crashed', reason: error instanceof Error ? error.message : String(error) };
  }
}

/** Whether the result was spooled. */
async function settle(parts: HandlingParts, one: RunningClaim, outcome: Outcome): Promise<boolean> {
  const { ledger, session } = parts;
  const { claim, abort } = one;
  if (abort.signal.reason === 'lost') return false;
  if (outcome.kind === 'done') return recordOrSpool(parts, one, outcome);
  // A handler that was stopped is not to blame for what it threw, and its host may do the job later.
  const { aborted, reason } = abort.signal;
  const isBlameless = aborted && (outcome.kind === 'crashed' || reason !== 'budget');
  const text = outcome.reason;
  if (isBlameless) await endClaim(ledger, claim, { kind: 'left', text, session: '' });
  else if (outcome.kind === 'left') await endClaim(ledger, claim, { kind: 'left', text, session });
  else await endClaim(ledger, claim, { kind: 'crashed', text });
  return false;
}

async function recordOrSpool(
  { ledger, host, spool }: HandlingParts,
  { claim }: RunningClaim,
  { record, costUsd }: Handled & { kind: 'done' },
): Promise<boolean> {
  try {
    await recordResult(ledger, claim, { record, costUsd });
    return false;
  } catch (error) {
    host.onTrouble?.(error);
    spool.keep({ claim, record, costUsd });
    return true;
  }
}
