import {
  type DatabaseConnection,
  type SqliteDatabase,
  SqliteDialect,
  SqliteDriver,
  type TransactionSettings,
} from 'kysely';
import type Database from 'libsql';

/**
 * Kysely's SQLite on libsql, where all the waiting for locks happens at the start of a transaction. A plain `begin`
 * takes the write lock at the first write; when another process wrote in between, that fails however long one waits.
 * A transaction with access mode `read only` takes its view of the data at the start, and no write lock.
 *
 * Everything that may find the database busy goes through `exec`. A prepared statement that did stays active until it
 * is garbage, because libsql neither resets it nor lets us; the connection then keeps its old view of the data: reads
 * are stale and every `begin immediate` is SQLITE_BUSY_SNAPSHOT. `exec` ends its statements.
 */
export class ImmediateDialect extends SqliteDialect {
  readonly #database: Database.Database;

  constructor(database: Database.Database) {
    super({ database: asSqliteDatabase(database) });
    this.#database = database;
  }

  override createDriver(): SqliteDriver {
    return new ImmediateDriver(this.#database);
  }
}

class ImmediateDriver extends SqliteDriver {
  readonly #database: Database.Database;

  constructor(database: Database.Database) {
    super({ database: asSqliteDatabase(database) });
    this.#database = database;
  }

  override async beginTransaction(_: DatabaseConnection, settings: TransactionSettings = {}): Promise<void> {
    try {
      // `begin` alone takes no snapshot of the data; the first read does.
      this.#database.exec(
        settings.accessMode === 'read only'
          ? 'begin; select 1 from sqlite_schema limit 1'
          : 'begin immediate',
      );
    } catch (error) {
      this.#rollback();
      throw error;
    }
  }

  override async commitTransaction(): Promise<void> {
    this.#database.exec('commit');
  }

  override async rollbackTransaction(): Promise<void> {
    this.#rollback();
  }

  /** A full disk or an I/O error may have rolled back already; a second rollback would fail and hide that error. */
  #rollback(): void {
    if (this.#database.inTransaction) this.#database.exec('rollback');
  }
}

/** libsql has the calls that Kysely makes; its types are those of an older better-sqlite3. */
const asSqliteDatabase = (database: Database.Database): SqliteDatabase =>
  database as unknown as SqliteDatabase;
