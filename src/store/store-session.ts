import type { Transaction } from 'kysely';
import type { NewEvent } from '../domain/event.js';
import type { Schema } from './rows/table-schema.js';

export type Redact = <T>(value: T) => T;

/**
 * How the tables access the database. An action may run again when the database was busy, so it does nothing but
 * database work and keeps no state.
 */
export interface Session {
  /** Where the data is, for messages. */
  readonly location: string;
  /** Removes secrets from what is about to be written. */
  readonly redact: Redact;
  /** Whether nothing can be written; then every change is refused. */
  readonly isReadOnly: boolean;
  /** Writes a copy of the database and returns its name: `file`, or that with a number when the file exists. */
  copyTo(file: string): Promise<string>;
  /** Reads a consistent state of the data. Takes no write lock and does not wait for a writer. */
  read<T>(action: (db: Transaction<Schema>) => Promise<T>): Promise<T>;
  /** One write transaction: all of the action's changes happen, or none when it throws. */
  change<T>(action: (change: Change) => Promise<T>): Promise<T>;
  /** Waits for running calls; later calls of `read` and `change` are refused. Idempotent. */
  close(): Promise<void>;
}

export interface Change {
  readonly db: Transaction<Schema>;
  /** Appends events to the transaction, stamped with the store's clock. */
  append(events: readonly NewEvent[]): Promise<void>;
}
