import type { Claim } from '../../engine/engine.js';
import { toClaim } from '../claim-jobs.js';
import type { LedgerSession } from '../ledger-session.js';

/** Ended in one call of `reap`; the next call ends more. */
const MOST_AT_ONCE = 500;

/** Claims without a beat for that long, the most silent first. */
export function findSilentClaims(session: LedgerSession, lifeMs: number): Promise<Claim[]> {
  return session.read(async db => {
    const rows = await joinClaims(db)
      .where(where =>
        where('fleet_claims.beat_at', '<', where(where.val(-lifeMs), '+', session.now as never)),
      )
      .orderBy('fleet_claims.beat_at')
      .limit(MOST_AT_ONCE)
      .execute();
    return rows.map(row => toClaim(row, row.host));
  });
}

/** What earlier processes of this host have claimed. */
export function findOrphans(session: LedgerSession, host: string, own: string): Promise<Claim[]> {
  return session.read(async db => {
    const rows = await joinClaims(db)
      .where('fleet_claims.host', '=', host)
      .where('fleet_claims.session', '!=', own)
      .execute();
    return rows.map(row => toClaim(row, row.host));
  });
}

function joinClaims(db: Parameters<Parameters<LedgerSession['read']>[0]>[0]) {
  return db
    .selectFrom('fleet_claims')
    .innerJoin('fleet_jobs', 'fleet_jobs.id', 'fleet_claims.job')
    .select([
      'fleet_claims.host',
      'fleet_jobs.entry',
      'fleet_jobs.run',
      'fleet_jobs.task',
      'fleet_jobs.attempt',
      'fleet_jobs.priority',
      'fleet_jobs.labels',
      'fleet_jobs.body',
      'fleet_jobs.claims',
    ]);
}
