import { Kysely, sql } from 'kysely';
import { carrelError } from '../../domain/error/error.js';
import { hideUrlCredentials } from '../../domain/secret/url-credentials.js';
import type { LedgerSession, News } from '../ledger/ledger-session.js';
import type { LedgerTables } from '../ledger/ledger-tables.js';
import { createBossDialect } from './boss-dialect.js';
import { createBossQueue } from './boss-queue.js';
import { createBoss, SCHEMA, startBoss } from './connect-boss.js';
import { loadPgBoss } from './load-pg-boss.js';
import { isRepeatable, translatePostgresError } from './postgres-error.js';

const CHANNEL = 'carrel_fleet';
/** Of a transaction that met another one. */
const MOST_TRIES = 5;

const now = sql<number>`floor(extract(epoch from clock_timestamp()) * 1000)::double precision`;

/** FLEET_ENGINE_MISSING, FLEET_UNAVAILABLE, FLEET_NOT_INITIALIZED, FLEET_VERSION_DIFFERS. */
export async function openPostgresLedger(url: string): Promise<LedgerSession> {
  const module = await loadPgBoss();
  const boss = createBoss(module, url, false);
  await startBoss(boss, url);
  const location = hideUrlCredentials(url);
  const bossDb = boss.getDb();
  const db = new Kysely<LedgerTables>({ dialect: createBossDialect(bossDb) }).withSchema(SCHEMA);
  const calls = trackCalls(location);
  const read: LedgerSession['read'] = action => calls.run(() => action(db));
  return {
    ...{ location, now, read },
    queue: createBossQueue(boss, module.fromKysely),
    change: action => calls.run(() => repeat(() => db.transaction().execute(action))),
    runningForMs: () =>
      read(async connection => {
        const started = sql<number>`extract(epoch from clock_timestamp() - pg_postmaster_start_time())`;
        const { rows } = await sql<{
          ms: number;
        }>`select floor(${started} * 1000)::double precision as ms`.execute(connection);
        return rows[0]?.ms ?? 0;
      }),
    announce: async (change, news) => {
      const calls = news.map(text => sql`pg_notify(${CHANNEL}, ${text})`);
      await sql`select ${sql.join(calls)}`.execute(change);
    },
    listen: async callback => {
      const missed = () => {
        callback('jobs');
        callback('hosts');
      };
      const handle = await bossDb.listen?.(CHANNEL, payload => callback(payload as News), missed);
      return async () => handle?.close();
    },
    close: () => calls.close(() => boss.stop({ graceful: false })),
  };
}

/** Translates errors, and waits for running calls at the end. */
function trackCalls(location: string) {
  const running = new Set<Promise<unknown>>();
  let closing: Promise<void> | undefined;
  return {
    run: <T>(action: () => Promise<T>): Promise<T> => {
      if (closing)
        return Promise.reject(
          carrelError('INTERNAL', { problem: 'the engine was used after it was closed' }),
        );
      const call = action()
        .catch(error => {
          throw translatePostgresError(error, location);
        })
        .finally(() => running.delete(call));
      running.add(call);
      return call;
    },
    close: (end: () => Promise<void>): Promise<void> => {
      closing ??= Promise.allSettled(running).then(end);
      return closing;
    },
  };
}

async function repeat<T>(action: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await action();
    } catch (error) {
      if (!isRepeatable(error) || tries === MOST_TRIES) throw error;
    }
  }
}
