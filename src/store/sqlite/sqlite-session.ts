import { setTimeout as sleep } from 'node:timers/promises';
import { Kysely, type TransactionBuilder } from 'kysely';
import type Database from 'libsql';
import { carrelError } from '../../domain/error.js';
import { isMigrated, migrate } from '../migrations/migrate.js';
import type { Schema } from '../schema.js';
import type { Session } from '../session.js';
import { insertEvents } from '../tables/events.js';
import { ImmediateDialect } from './immediate-dialect.js';
import { isBusy, translateSqliteError } from './sqlite-error.js';

export interface SessionOptions {
  readonly location: string;
  readonly now: () => number;
  /** Milliseconds that a busy database is waited for. */
  readonly busyTimeoutMs: number;
}

/** A session on an open database, with the newest tables. The database is closed when that fails. */
export async function openSession(database: Database.Database, options: SessionOptions): Promise<Session> {
  const db = new Kysely<Schema>({ dialect: new ImmediateDialect(database) });
  try {
    await whenFree(options, () => prepare(database, db as unknown as Kysely<unknown>, options.location));
  } catch (error) {
    database.close();
    throw error;
  }
  return createSession(db, options);
}

/** Looks before it writes: a database that is damaged, foreign or too new is left as it is. */
async function prepare(database: Database.Database, db: Kysely<unknown>, file: string): Promise<void> {
  // FULL, not NORMAL: after a power cut NORMAL may have forgotten the last transactions while the file system has kept
  // what followed them. A workspace whose files are gone, with no record of the snapshot that holds its work, would be
  // work lost to its owner. It costs one flush of the log per change.
  database.exec('pragma synchronous = full');
  if (await startReading(db).execute(transaction => isMigrated(transaction, file))) return;
  // Readers and the one writer don't wait for each other. The mode is kept in the file. A file system without shared
  // memory (NFS) stays with the rollback journal, which is as safe and only slower.
  database.exec('pragma journal_mode = wal');
  await db.transaction().execute(transaction => migrate(transaction, file));
}

function startReading<S>(db: Kysely<S>): TransactionBuilder<S> {
  return db.transaction().setAccessMode('read only');
}

function createSession(db: Kysely<Schema>, options: SessionOptions): Session {
  const running = new Set<Promise<unknown>>();
  let closing: Promise<void> | undefined;
  const start = <T>(action: () => Promise<T>): Promise<T> => {
    if (closing)
      return Promise.reject(carrelError('INTERNAL', { problem: 'the store was used after it was closed' }));
    const run = whenFree(options, action).finally(() => running.delete(run));
    running.add(run);
    return run;
  };
  return {
    location: options.location,
    read: action => start(() => startReading(db).execute(action)),
    change: action =>
      start(() =>
        db.transaction().execute(transaction => {
          const at = new Date(options.now()).toISOString();
          return action({ db: transaction, append: events => insertEvents(transaction, events, at) });
        }),
      ),
    close: () => {
      closing ??= Promise.allSettled(running).then(() => db.destroy());
      return closing;
    },
  };
}

/** Runs the action again while other processes hold the database, then gives up with STORE_BUSY. */
async function whenFree<T>(
  { location, busyTimeoutMs }: SessionOptions,
  action: () => Promise<T>,
): Promise<T> {
  // A length of time, not a moment: the steady clock, which nobody sets back.
  const start = performance.now();
  for (;;) {
    try {
      return await action();
    } catch (error) {
      if (!isBusy(error)) throw translateSqliteError(error, location);
      const waitedMs = Math.round(performance.now() - start);
      if (waitedMs >= busyTimeoutMs) throw carrelError('STORE_BUSY', { file: location, waitedMs }, error);
    }
    // Uneven, so that processes which collided once do not collide again.
    await sleep(1 + Math.random() * 15);
  }
}
