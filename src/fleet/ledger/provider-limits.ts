import { sql } from 'kysely';
import type { LedgerChange, LedgerSession } from './ledger-session.js';

/** Keeps the later of two times. */
export async function slowProvider(session: LedgerSession, provider: string, forMs: number): Promise<void> {
  const until = sql<number>`${session.now} + ${sql.lit(Math.round(forMs))}`;
  await session.change(change =>
    change
      .insertInto('fleet_limits')
      .values({ provider, until })
      .onConflict(conflict =>
        conflict
          .column('provider')
          .doUpdateSet(db => ({ until: db.ref('excluded.until') }))
          .whereRef('fleet_limits.until', '<', 'excluded.until'),
      )
      .execute(),
  );
}

/** Of these providers, those that are to be left alone, with the milliseconds that remain. */
export async function findLimited(
  { now }: LedgerSession,
  change: LedgerChange,
  providers: readonly string[],
): Promise<Map<string, number>> {
  if (providers.length === 0) return new Map();
  const rows = await change
    .selectFrom('fleet_limits')
    .select(['provider', sql<number>`until - ${now}`.as('remaining')])
    .where('provider', 'in', providers)
    .execute();
  return new Map(rows.flatMap(row => (row.remaining > 0 ? [[row.provider, row.remaining] as const] : [])));
}

export function listLimits(session: LedgerSession): Promise<{ provider: string; remainingMs: number }[]> {
  return session.read(async db => {
    const rows = await db
      .selectFrom('fleet_limits')
      .select(['provider', sql<number>`until - ${session.now}`.as('remaining')])
      .orderBy('provider')
      .execute();
    return rows.flatMap(({ provider, remaining }) =>
      remaining > 0 ? [{ provider, remainingMs: remaining }] : [],
    );
  });
}
