import { statSync } from 'node:fs';
import { type CarrelError, isCarrelError } from '../../domain/error/error.js';
import { createStore } from '../create-store.js';
import type { Store } from '../store.js';
import type { Redact, Session } from '../store-session.js';
import { openDatabaseFile } from './open-database.js';
import { openWithoutRoom, type ReadableDatabase } from './open-without-room.js';
import { openSession, type SessionOptions } from './sqlite-session.js';

export interface SqliteStoreOptions {
  /** The database; it and its directory are created if missing. */
  readonly file: string;
  readonly now: () => number;
  /** Milliseconds to wait for a busy database before STORE_BUSY. Default 30,000. */
  readonly busyTimeoutMs?: number | undefined;
  /** Called before every use; if it throws, the use fails with that error and nothing is written. */
  readonly check?: (() => void) | undefined;
  /** Removes secrets from events, task messages and recorded commands. Nothing by default. */
  readonly redact?: Redact | undefined;
  /** Where a copy may be created for reading, when the disk of the database is full; without it that is an error. */
  readonly scratchRoot?: string | undefined;
}

/**
 * The store of one machine: one file, many processes. STORE_CORRUPT and STORE_TOO_NEW leave the file as it is;
 * STATE_NOT_WRITABLE, DISK_FULL, STORE_BUSY.
 */
export async function openSqliteStore({
  file,
  now,
  busyTimeoutMs = 30_000,
  redact = value => value,
  scratchRoot,
  check = () => undefined,
}: SqliteStoreOptions): Promise<Store> {
  const options = { location: file, now, busyTimeoutMs, redact };
  try {
    return createStore(guardSession(await openSession(openDatabaseFile(file), options), check));
  } catch (error) {
    if (scratchRoot === undefined || !isCarrelError(error, 'DISK_FULL') || !isDatabase(file)) throw error;
    return openToRead(options, scratchRoot, error);
  }
}

/** Records can still be read; every change fails with `refusal`. */
async function openToRead(
  options: Omit<SessionOptions, 'refusal'>,
  scratchRoot: string,
  refusal: CarrelError,
): Promise<Store> {
  let found: ReadableDatabase;
  try {
    found = openWithoutRoom(options.location, scratchRoot);
  } catch {
    throw refusal;
  }
  try {
    return createStore(await openSession(found.database, { ...options, refusal, onClose: found.dispose }));
  } catch (error) {
    found.dispose();
    throw error;
  }
}

const isDatabase = (file: string): boolean => (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0;

/** The same session, which checks before every transaction, and within every change, whether it may continue. */
function guardSession(session: Session, check: () => void): Session {
  return {
    ...session,
    read: async action => {
      check();
      return session.read(action);
    },
    change: action =>
      session.change(change => {
        check();
        return action(change);
      }),
  };
}
