import type { LedgerSession } from '../ledger/ledger-session.js';
import { recordResult } from '../ledger/record-result.js';
import type { RunningClaims } from './running-claims.js';
import type { Spool } from './spool.js';

/** Records what was spooled. What is recorded or stale is forgotten; the rest stays when this rejects. */
export async function emptySpool(
  ledger: LedgerSession,
  spool: Spool,
  running?: RunningClaims,
): Promise<void> {
  for (const { claim, record, costUsd } of spool.list()) {
    await recordResult(ledger, claim, { record, costUsd });
    spool.forget(claim);
    running?.remove(claim);
  }
}
