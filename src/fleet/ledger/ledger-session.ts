import type { Kysely, RawBuilder, Transaction } from 'kysely';
import type { LedgerTables } from './ledger-tables.js';

export type LedgerChange = Transaction<LedgerTables>;

/** What an engine brings: a database with the tables of the ledger, a queue in it, and news from other processes. */
export interface LedgerSession {
  /** Where the data is, for messages; without a password. */
  readonly location: string;
  /** The clock of the database: milliseconds since 1970, as SQL. */
  readonly now: RawBuilder<number>;
  readonly queue: JobQueue;
  /** Reads, without a transaction or in one that only reads. FLEET_UNAVAILABLE. */
  read<T>(action: (db: Kysely<LedgerTables>) => Promise<T>): Promise<T>;
  /**
   * One transaction: all of the action's changes happen, or none when it throws. The action may run again, so it does
   * nothing but database work. FLEET_UNAVAILABLE; then it is unknown whether the changes happened.
   */
  change<T>(action: (change: LedgerChange) => Promise<T>): Promise<T>;
  /** Milliseconds for which the database has been running; Infinity for a file. */
  runningForMs(): Promise<number>;
  /** Sends news to every process when the transaction is committed. */
  announce(change: LedgerChange, news: readonly News[]): Promise<void>;
  /** Calls back for news, and after a pause in which news may have been missed. Returns how to stop. */
  listen(callback: (news: News) => void): Promise<() => Promise<void>>;
  /** Waits for running calls. Idempotent. */
  close(): Promise<void>;
}

/** `jobs`: there are open jobs. `hosts`: a host is to be drained. `run`: it has results or other terms. */
export type News = 'jobs' | 'hosts' | `run ${string}` | `cancelled ${string}`;

/** The order in which open jobs are claimed. Every call is part of the transaction that it is given. */
export interface JobQueue {
  push(change: LedgerChange, entries: readonly QueueEntry[]): Promise<void>;
  /** Takes at most `limit` entries, higher priorities first, that no other call takes. */
  take(
    change: LedgerChange,
    options: { readonly limit: number; readonly ignoring: readonly string[] },
  ): Promise<TakenEntry[]>;
  /** Ends a taken entry. False when it is not taken any more, or was taken again: this is the fence. */
  finish(change: LedgerChange, entry: EntryClaim): Promise<boolean>;
  /** A taken entry can be taken again, at its old place in the order. False as for `finish`. */
  giveBack(change: LedgerChange, entry: EntryClaim): Promise<boolean>;
  /** Deletes what is finished. */
  tidy(): Promise<void>;
}

export interface QueueEntry {
  /** A UUID. */
  readonly id: string;
  /** Which hosts can do it; entries are ignored by group. */
  readonly group: string;
  readonly priority: number;
}

export interface EntryClaim {
  readonly id: string;
  /** How often the entry was given back before it was taken. */
  readonly retry: number;
}

export interface TakenEntry extends EntryClaim {
  readonly group: string;
}
