import type { Claim } from '../engine/engine.js';
import type { LedgerChange, LedgerSession } from './ledger-session.js';

interface NewResult {
  readonly record: string | null;
  readonly gaveUp: string | null;
  readonly costMicros: number;
  /** What the claim had reserved. */
  readonly reservedMicros: number;
}

/**
 * Writes a result with the next number of its run, and settles the reservation. The row of the run is held from here to
 * the end of the transaction, so that numbers become visible in order.
 */
export async function writeResult(
  { now }: LedgerSession,
  change: LedgerChange,
  { job: { key }, number, host }: Claim,
  { record, gaveUp, costMicros, reservedMicros }: NewResult,
): Promise<{ isCancelled: boolean }> {
  const { results, cancelled } = await change
    .updateTable('fleet_runs')
    .set(db => ({
      results: db('results', '+', 1),
      spent_micros: db('spent_micros', '+', costMicros),
      reserved_micros: db('reserved_micros', '-', reservedMicros),
    }))
    .where('id', '=', key.run)
    .returning(['results', 'cancelled'])
    .executeTakeFirstOrThrow();
  const claimed = { ...key, sequence: results, claim: number, host };
  await change
    .insertInto('fleet_results')
    .values({ ...claimed, record, gave_up: gaveUp, cost_micros: costMicros, recorded_at: now })
    .execute();
  return { isCancelled: cancelled > 0 };
}
