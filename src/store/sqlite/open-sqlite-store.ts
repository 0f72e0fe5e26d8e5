import { createStore } from '../create-store.js';
import type { Store } from '../store.js';
import { openDatabaseFile } from './open-database.js';
import { openSession } from './sqlite-session.js';

export interface SqliteStoreOptions {
  /** The database; it and its directory are made when absent. */
  readonly file: string;
  readonly now: () => number;
  /** Milliseconds that a busy database is waited for before STORE_BUSY. Default 30,000. */
  readonly busyTimeoutMs?: number | undefined;
}

/**
 * The store of one machine: one file, many processes. STORE_CORRUPT and STORE_TOO_NEW leave the file as it is;
 * STATE_NOT_WRITABLE, DISK_FULL, STORE_BUSY.
 */
export async function openSqliteStore({
  file,
  now,
  busyTimeoutMs = 30_000,
}: SqliteStoreOptions): Promise<Store> {
  return createStore(await openSession(openDatabaseFile(file), { location: file, now, busyTimeoutMs }));
}
