import type { Transaction } from 'kysely';
import type { NewEvent } from '../domain/event.js';
import type { Schema } from './schema.js';

/**
 * How the tables reach the database. An action may be run again when the database was busy, so it does nothing but
 * database work and holds no state of its own.
 */
export interface Session {
  /** Where the data is, for messages. */
  readonly location: string;
  /** Reads of one moment's data. Takes no write lock and does not wait for a writer. */
  read<T>(action: (db: Transaction<Schema>) => Promise<T>): Promise<T>;
  /** One write transaction: what the action did happens as a whole, or not at all when it throws. */
  change<T>(action: (change: Change) => Promise<T>): Promise<T>;
  /** Waits for what has begun; later calls of `read` and `change` are refused. Idempotent. */
  close(): Promise<void>;
}

export interface Change {
  readonly db: Transaction<Schema>;
  /** Appends events to the transaction, stamped with the store's clock. */
  append(events: readonly NewEvent[]): Promise<void>;
}
