import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely';
import type { Db } from 'pg-boss';

type TransactionHandle = Awaited<ReturnType<NonNullable<Db['beginTransaction']>>>;

/** Kysely on the connections of pg-boss: one pool, and no other database library to install. */
export function createBossDialect(db: Db): Dialect {
  return {
    createDriver: () => new BossDriver(db),
    createAdapter: () => new PostgresAdapter(),
    createIntrospector: kysely => new PostgresIntrospector(kysely),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  };
}

class BossDriver implements Driver {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  async acquireConnection(): Promise<BossConnection> {
    return new BossConnection(this.#db);
  }

  async beginTransaction(connection: BossConnection): Promise<void> {
    connection.transaction = await this.#db.beginTransaction?.();
  }

  async commitTransaction(connection: BossConnection): Promise<void> {
    await connection.transaction?.commit();
  }

  async rollbackTransaction(connection: BossConnection): Promise<void> {
    await connection.transaction?.rollback();
  }

  async init(): Promise<void> {}
  async releaseConnection(): Promise<void> {}
  async destroy(): Promise<void> {}
}

class BossConnection implements DatabaseConnection {
  readonly #db: Db;
  transaction: TransactionHandle | undefined;

  constructor(db: Db) {
    this.#db = db;
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const { rows } = await (this.transaction?.db ?? this.#db).executeSql(sql, [...parameters]);
    return { rows: rows as R[] };
  }

  // biome-ignore lint/correctness/useYield: the ledger reads no streams, and the interface wants a generator
  async *streamQuery<R>(): AsyncGenerator<QueryResult<R>> {
    throw new Error('streams are not used here');
  }
}
