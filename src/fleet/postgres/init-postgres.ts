import { Kysely, sql } from 'kysely';
import { carrelError } from '../../domain/error/error.js';
import { hideUrlCredentials } from '../../domain/secret/url-credentials.js';
import { ledgerMigrations } from '../ledger/ledger-migrations.js';
import { createBossDialect } from './boss-dialect.js';
import { QUEUE, QUEUE_OPTIONS } from './boss-queue.js';
import { createBoss, readVersion, SCHEMA } from './connect-boss.js';
import { loadPgBoss } from './load-pg-boss.js';
import { translatePostgresError } from './postgres-error.js';

/**
 * Creates the tables of a fleet, or upgrades them. Idempotent, also when several processes call it at once. Upgrading
 * needs workers of the same version afterwards. FLEET_ENGINE_MISSING, FLEET_UNAVAILABLE, FLEET_VERSION_DIFFERS when the
 * fleet is of a newer Carrel.
 */
export async function initPostgres(url: string): Promise<{ readonly from: number; readonly to: number }> {
  const boss = createBoss(await loadPgBoss(), url, true);
  const location = hideUrlCredentials(url);
  try {
    await boss.start();
    if (!(await boss.getQueue(QUEUE))) await boss.createQueue(QUEUE, QUEUE_OPTIONS);
    const db = new Kysely<unknown>({ dialect: createBossDialect(boss.getDb()) }).withSchema(SCHEMA);
    const from = (await readVersion(boss.getDb())) ?? 0;
    await migrateLedger(db, location);
    return { from, to: ledgerMigrations.length };
  } catch (error) {
    throw translatePostgresError(error, location);
  } finally {
    await boss.stop({ graceful: false }).catch(() => undefined);
  }
}

async function migrateLedger(db: Kysely<unknown>, location: string): Promise<void> {
  await db.transaction().execute(async change => {
    // One process at a time, until the transaction ends.
    await sql`select pg_advisory_xact_lock(hashtext('carrel fleet'))`.execute(change);
    await sql`create table if not exists ${sql.table(`${SCHEMA}.fleet_version`)} (version integer not null)`.execute(
      change,
    );
    const version = sql.table(`${SCHEMA}.fleet_version`);
    const { rows } = await sql<{ version: number }>`select version from ${version}`.execute(change);
    const found = rows[0]?.version ?? 0;
    const known = ledgerMigrations.length;
    if (found > known) throw carrelError('FLEET_VERSION_DIFFERS', { location, found, known });
    for (const migration of ledgerMigrations.slice(found)) await migration(change);
    await sql`delete from ${version}`.execute(change);
    await sql`insert into ${version} values (${known})`.execute(change);
  });
}
