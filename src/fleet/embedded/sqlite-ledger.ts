import { setTimeout as sleep } from 'node:timers/promises';
import { Kysely, sql } from 'kysely';
import { carrelError } from '../../domain/error/error.js';
import { ImmediateDialect } from '../../store/sqlite/immediate-dialect.js';
import { migrate } from '../../store/sqlite/migrate.js';
import { openDatabaseFile } from '../../store/sqlite/open-database.js';
import { isBusy, translateSqliteError } from '../../store/sqlite/sqlite-error.js';
import { ledgerMigrations } from '../ledger/ledger-migrations.js';
import type { LedgerSession } from '../ledger/ledger-session.js';
import type { LedgerTables } from '../ledger/ledger-tables.js';
import { createFileNews } from './file-news.js';
import { createQueueTable, createSqliteQueue } from './sqlite-queue.js';

const BUSY_TIMEOUT_MS = 30_000;

/** The version of the file is their number. */
const migrations = [...ledgerMigrations.slice(0, 1), createQueueTable, ...ledgerMigrations.slice(1)];

/** Processes of one machine have the same clock. */
const now = sql<number>`cast(unixepoch('subsec') * 1000 as integer)`;

export async function openSqliteLedger(file: string, pollMs: number): Promise<LedgerSession> {
  const database = openDatabaseFile(file);
  const db = new Kysely<LedgerTables>({ dialect: new ImmediateDialect(database) });
  try {
    // Results must survive a power cut: the work that they stand for is gone from its host.
    database.exec('pragma synchronous = full');
    await whenFree(file, async () => database.exec('pragma journal_mode = wal'));
    const untyped = db as unknown as Kysely<unknown>;
    await whenFree(file, () => untyped.transaction().execute(change => migrate(change, file, migrations)));
  } catch (error) {
    database.close();
    throw error;
  }
  return createSession(db, file, pollMs);
}

function createSession(db: Kysely<LedgerTables>, file: string, pollMs: number): LedgerSession {
  const running = new Set<Promise<unknown>>();
  let closing: Promise<void> | undefined;
  const start = <T>(action: () => Promise<T>): Promise<T> => {
    if (closing)
      return Promise.reject(carrelError('INTERNAL', { problem: 'the engine was used after it was closed' }));
    const run = whenFree(file, action).finally(() => running.delete(run));
    running.add(run);
    return run;
  };
  const read: LedgerSession['read'] = action =>
    start(() => db.transaction().setAccessMode('read only').execute(action));
  const news = createFileNews(read, pollMs);
  return {
    location: file,
    now,
    queue: createSqliteQueue(),
    read,
    change: action => start(() => db.transaction().execute(action)),
    runningForMs: async () => Number.POSITIVE_INFINITY,
    announce: news.announce,
    listen: news.listen,
    close: () => {
      closing ??= Promise.allSettled(running).then(() => db.destroy());
      return closing;
    },
  };
}

/** Repeats the action while other processes hold the database, then gives up with STORE_BUSY. */
async function whenFree<T>(file: string, action: () => Promise<T>): Promise<T> {
  const start = performance.now();
  for (;;) {
    try {
      return await action();
    } catch (error) {
      if (!isBusy(error)) throw translateSqliteError(error, file);
      const waitedMs = Math.round(performance.now() - start);
      if (waitedMs >= BUSY_TIMEOUT_MS) throw carrelError('STORE_BUSY', { file, waitedMs }, error);
    }
    // Randomized, so that processes which collided once do not collide again.
    await sleep(1 + Math.random() * 15);
  }
}
