import { setTimeout as sleep } from 'node:timers/promises';
import { Kysely, type TransactionBuilder } from 'kysely';
import type Database from 'libsql';
import { type CarrelError, carrelError } from '../../domain/error/error.js';
import { migrations as released } from '../migrations/migrations.js';
import type { Schema } from '../rows/table-schema.js';
import type { Redact, Session } from '../store-session.js';
import { insertEvents } from '../tables/stored-events.js';
import { copyDatabase, copyOfVersion } from './copy-database.js';
import { ImmediateDialect } from './immediate-dialect.js';
import { isMigrated, migrate } from './migrate.js';
import { isBusy, translateSqliteError } from './sqlite-error.js';

export interface SessionOptions {
  readonly location: string;
  readonly now: () => number;
  /** Milliseconds to wait for a busy database. */
  readonly busyTimeoutMs: number;
  /** Nothing by default. */
  readonly redact?: Redact | undefined;
  /** When set, nothing can be written, and every change fails with this. */
  readonly refusal?: CarrelError | undefined;
  /** Called when the session has been closed. */
  readonly onClose?: (() => void) | undefined;
}

/** A session on an open database, with the newest tables. The database is closed when that fails. */
export async function openSession(database: Database.Database, options: SessionOptions): Promise<Session> {
  const db = new Kysely<Schema>({ dialect: new ImmediateDialect(database) });
  try {
    await whenFree(options, () => prepare(database, db as unknown as Kysely<unknown>, options));
  } catch (error) {
    database.close();
    throw error;
  }
  return createSession(db, options);
}

/** Checks before it writes: a damaged, foreign or too new database is not changed. */
async function prepare(
  database: Database.Database,
  db: Kysely<unknown>,
  { location: file, refusal }: SessionOptions,
): Promise<void> {
  // FULL, not NORMAL: after a power cut NORMAL may have forgotten the last transactions while the file system has kept
  // what followed them. A workspace whose files are gone, with no record of the snapshot that holds its work, would be
  // work lost to its owner. It costs one flush of the log per change.
  database.exec('pragma synchronous = full');
  if (await startReading(db).execute(transaction => isMigrated(transaction, file))) return;
  if (refusal) throw refusal;
  // Readers and the one writer don't wait for each other. The mode is kept in the file. A file system without shared
  // memory (NFS) stays with the rollback journal, which is as safe and only slower.
  database.exec('pragma journal_mode = wal');
  // An older Carrel can't read the upgraded database; it has the copy to go back to.
  const keepCopy = (version: number) => void copyDatabase(file, copyOfVersion(file, version));
  await db.transaction().execute(transaction => migrate(transaction, file, released, keepCopy));
}

function startReading<S>(db: Kysely<S>): TransactionBuilder<S> {
  return db.transaction().setAccessMode('read only');
}

function createSession(db: Kysely<Schema>, options: SessionOptions): Session {
  const { redact = value => value } = options;
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
    redact,
    isReadOnly: options.refusal !== undefined,
    copyTo: file => start(async () => copyDatabase(options.location, file)),
    read: action => start(() => startReading(db).execute(action)),
    change: action => {
      if (options.refusal) return Promise.reject(options.refusal);
      return start(() =>
        db.transaction().execute(transaction => {
          const at = new Date(options.now()).toISOString();
          return action({ db: transaction, append: events => insertEvents(transaction, redact(events), at) });
        }),
      );
    },
    close: () => {
      closing ??= Promise.allSettled(running)
        .then(() => db.destroy())
        .then(options.onClose);
      return closing;
    },
  };
}

/** Repeats the action while other processes hold the database, then gives up with STORE_BUSY. */
async function whenFree<T>(
  { location, busyTimeoutMs }: SessionOptions,
  action: () => Promise<T>,
): Promise<T> {
  // A duration: uses the monotonic clock, which cannot be set back.
  const start = performance.now();
  for (;;) {
    try {
      return await action();
    } catch (error) {
      if (!isBusy(error)) throw translateSqliteError(error, location);
      const waitedMs = Math.round(performance.now() - start);
      if (waitedMs >= busyTimeoutMs) throw carrelError('STORE_BUSY', { file: location, waitedMs }, error);
    }
    // Randomized, so that processes which collided once do not collide again.
    await sleep(1 + Math.random() * 15);
  }
}
