import type { LedgerSession } from './ledger-session.js';

const ONLY = 1;

/** See `Engine.settings`. */
export function readSettings(session: LedgerSession): Promise<string | null> {
  return session.read(async db => {
    const row = await db.selectFrom('fleet_settings').select('settings').executeTakeFirst();
    return row?.settings ?? null;
  });
}

export async function writeSettings(session: LedgerSession, settings: string): Promise<void> {
  await session.change(change =>
    change
      .insertInto('fleet_settings')
      .values({ id: ONLY, settings })
      .onConflict(conflict => conflict.column('id').doUpdateSet({ settings }))
      .execute(),
  );
}
