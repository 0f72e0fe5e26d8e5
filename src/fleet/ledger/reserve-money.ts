import type { Claim } from '../engine/engine.js';
import type { LedgerChange, LedgerSession } from './ledger-session.js';
import { toMicros } from './money.js';

type Reservation = 'reserved' | 'held' | 'spent' | 'stale';

/** See `Engine.reserve`. */
export function reserveMoney(session: LedgerSession, claim: Claim, capUsd: number): Promise<Reservation> {
  const micros = toMicros(capUsd);
  return session.change(async change => {
    const isCurrent = await addToClaim(change, claim, 0);
    if (!isCurrent) return 'stale';
    const { run } = claim.job.key;
    if (await addToRun(change, run, micros)) {
      await addToClaim(change, claim, micros);
      return 'reserved';
    }
    return classifyRefusal(change, run, micros);
  });
}

/** Also holds the row of the claim, so that it can't end before the money is its own. */
async function addToClaim(change: LedgerChange, claim: Claim, micros: number): Promise<boolean> {
  const rows = await change
    .updateTable('fleet_claims')
    .set(db => ({ reserved_micros: db('reserved_micros', '+', micros) }))
    .where('entry', '=', claim.id)
    .where('number', '=', claim.number)
    .where('host', '=', claim.host)
    .returning('entry')
    .execute();
  return rows.length === 1;
}

/** The limit is checked by the statement that reserves: no other transaction gets between them. */
async function addToRun(change: LedgerChange, run: string, micros: number): Promise<boolean> {
  const rows = await change
    .updateTable('fleet_runs')
    .set(db => ({ reserved_micros: db('reserved_micros', '+', micros) }))
    .where('id', '=', run)
    .where(db =>
      db.or([
        db('limit_micros', 'is', null),
        db(db(db('spent_micros', '+', db.ref('reserved_micros')), '+', micros), '<=', db.ref('limit_micros')),
      ]),
    )
    .returning('id')
    .execute();
  return rows.length === 1;
}

async function classifyRefusal(change: LedgerChange, run: string, micros: number): Promise<'held' | 'spent'> {
  const row = await change
    .selectFrom('fleet_runs')
    .select(['limit_micros', 'spent_micros'])
    .where('id', '=', run)
    .executeTakeFirstOrThrow();
  return row.spent_micros + micros > (row.limit_micros ?? 0) ? 'spent' : 'held';
}
