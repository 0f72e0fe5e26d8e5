import type { Db, PgBoss } from 'pg-boss';
import { carrelError } from '../../domain/error/error.js';
import { hideUrlCredentials } from '../../domain/secret/url-credentials.js';
import { ledgerMigrations } from '../ledger/ledger-migrations.js';
import type { PgBossModule } from './load-pg-boss.js';
import { translatePostgresError } from './postgres-error.js';

/** The schema that holds all tables of a fleet. */
export const SCHEMA = 'carrel';

/** Enough for claims, results and beats at the same time; another connection is for news. */
const CONNECTIONS = 4;
/** A partitioned host must notice before its claims are reaped. */
const ANSWER_WITHIN_MS = 5000;

/** A pg-boss that does nothing by itself: no supervision, no schedule, no migration. */
export function createBoss({ PgBoss }: PgBossModule, url: string, isMigrating: boolean): PgBoss {
  // The last two are options of the pool, which pg-boss passes on.
  const limits = {
    connectionTimeoutMillis: ANSWER_WITHIN_MS,
    query_timeout: isMigrating ? 0 : ANSWER_WITHIN_MS,
  };
  const boss = new PgBoss({
    ...{ connectionString: url, schema: SCHEMA, application_name: 'carrel', max: CONNECTIONS },
    ...{ supervise: false, schedule: false, migrate: isMigrating, createSchema: isMigrating },
    ...limits,
  });
  // Each call reports its own error; a lost connection in between is none.
  boss.on('error', () => undefined);
  return boss;
}

/** FLEET_UNAVAILABLE, FLEET_NOT_INITIALIZED, FLEET_VERSION_DIFFERS. */
export async function startBoss(boss: PgBoss, url: string): Promise<void> {
  const location = hideUrlCredentials(url);
  try {
    await boss.start().catch(error => explainStart(boss.getDb(), location, error));
    requireVersion(await readVersion(boss.getDb()), location);
  } catch (error) {
    await boss.stop({ graceful: false }).catch(() => undefined);
    throw translatePostgresError(error, location);
  }
}

/** pg-boss has one error for an absent and for a different schema. */
async function explainStart(db: Db, location: string, error: unknown): Promise<never> {
  requireVersion(await readVersion(db), location);
  throw error;
}

function requireVersion(found: number | undefined, location: string): void {
  const known = ledgerMigrations.length;
  if (found === undefined) throw carrelError('FLEET_NOT_INITIALIZED', { location });
  if (found !== known) throw carrelError('FLEET_VERSION_DIFFERS', { location, found, known });
}

/** Undefined when there is no fleet. */
export async function readVersion(db: Db): Promise<number | undefined> {
  const table = `${SCHEMA}.fleet_version`;
  const { rows: found } = await db.executeSql('select to_regclass($1) is not null as exists', [table]);
  if (!found[0]?.exists) return undefined;
  const { rows } = await db.executeSql(`select version from ${table}`);
  return rows[0]?.version as number;
}
