import type { Claim } from '../engine/engine.js';
import type { LedgerChange, LedgerSession } from './ledger-session.js';
import { toMicros } from './money.js';

type Reservation = 'reserved' | 'held' | 'spent' | 'stale';

/** See `Engine.reserve`. */
export function reserveMoney(session: LedgerSession, claim: Claim, capUsd: number): Promise<Reservation> {
  return raise(session, claim, () => toMicros(capUsd));
}

/** Reserves what a claim has spent, as far as it has not reserved it before: a cap and its use are the same money. */
export function coverCost(session: LedgerSession, claim: Claim, costUsd: number): Promise<Reservation> {
  return raise(session, claim, reserved => Math.max(0, toMicros(costUsd) - reserved));
}

/** Reserves more for a claim; how much may depend on what it has. */
function raise(
  session: LedgerSession,
  claim: Claim,
  findMore: (reservedMicros: number) => number,
): Promise<Reservation> {
  return session.change(async change => {
    const reserved = await addToClaim(change, claim, 0);
    if (reserved === undefined) return 'stale';
    const { run } = claim.job.key;
    const more = findMore(reserved);
    if (more === 0) return 'reserved';
    if (!(await addToRun(change, run, more))) return classifyRefusal(change, run, more);
    await addToClaim(change, claim, more);
    return 'reserved';
  });
}

/** What the claim has then. Also holds its row, so that it can't end before the money is its own. */
async function addToClaim(change: LedgerChange, claim: Claim, micros: number): Promise<number | undefined> {
  const row = await change
    .updateTable('fleet_claims')
    .set(db => ({ reserved_micros: db('reserved_micros', '+', micros) }))
    .where('entry', '=', claim.id)
    .where('number', '=', claim.number)
    .where('host', '=', claim.host)
    .returning('reserved_micros')
    .executeTakeFirst();
  return row?.reserved_micros;
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
