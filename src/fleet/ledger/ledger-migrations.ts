import type { Kysely } from 'kysely';

/**
 * In order; the first creates version 1. Each runs inside a transaction, and works in SQLite and PostgreSQL. The number
 * of them is the version of a fleet.
 */
export const ledgerMigrations: readonly ((db: Kysely<unknown>) => Promise<void>)[] = [
  createFirstTables,
  addProviders,
  orderWaiting,
  addAcknowledged,
];

async function createFirstTables(db: Kysely<unknown>): Promise<void> {
  await createRuns(db);
  await createJobs(db);
  await createClaims(db);
  await createResults(db);
  await createHosts(db);
  await db.schema
    .createTable('fleet_limits')
    .addColumn('provider', 'text', column => column.primaryKey().notNull())
    .addColumn('until', 'double precision', column => column.notNull())
    .execute();
  await db.schema
    .createTable('fleet_settings')
    .addColumn('id', 'integer', column => column.primaryKey().notNull())
    .addColumn('settings', 'text', column => column.notNull())
    .execute();
}

async function createRuns(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('fleet_runs')
    .addColumn('id', 'text', column => column.primaryKey().notNull())
    .addColumn('plan', 'text', column => column.notNull())
    .addColumn('parallelism', 'integer', column => column.notNull())
    .addColumn('limit_micros', 'double precision')
    .addColumn('spent_micros', 'double precision', column => column.notNull().defaultTo(0))
    .addColumn('unknown_micros', 'double precision', column => column.notNull().defaultTo(0))
    .addColumn('reserved_micros', 'double precision', column => column.notNull().defaultTo(0))
    .addColumn('cancelled', 'integer', column => column.notNull().defaultTo(0))
    .addColumn('submitted_at', 'double precision', column => column.notNull())
    .addColumn('results', 'integer', column => column.notNull().defaultTo(0))
    .addColumn('positions', 'integer', column => column.notNull().defaultTo(0))
    .execute();
}

async function createJobs(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('fleet_jobs')
    .addColumn('id', 'text', column => column.primaryKey().notNull())
    .addColumn('run', 'text', column => column.notNull())
    .addColumn('task', 'text', column => column.notNull())
    .addColumn('attempt', 'integer', column => column.notNull())
    .addColumn('priority', 'integer', column => column.notNull())
    .addColumn('labels', 'text', column => column.notNull())
    .addColumn('body', 'text', column => column.notNull())
    .addColumn('state', 'text', column => column.notNull())
    .addColumn('position', 'integer', column => column.notNull())
    .addColumn('entry', 'text')
    .addColumn('claims', 'integer', column => column.notNull().defaultTo(0))
    .addColumn('deaths', 'integer', column => column.notNull().defaultTo(0))
    .addColumn('left_by', 'text', column => column.notNull().defaultTo('[]'))
    .addColumn('left_reason', 'text')
    .execute();
  await createIndex(db, 'fleet_jobs', ['run', 'task', 'attempt'], 'unique');
  await createIndex(db, 'fleet_jobs', ['run', 'state', 'priority', 'position']);
  await createIndex(db, 'fleet_jobs', ['entry'], 'unique');
}

async function createClaims(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('fleet_claims')
    .addColumn('entry', 'text', column => column.primaryKey().notNull())
    .addColumn('job', 'text', column => column.notNull().unique())
    .addColumn('run', 'text', column => column.notNull())
    .addColumn('number', 'integer', column => column.notNull())
    .addColumn('retry', 'integer', column => column.notNull())
    .addColumn('host', 'text', column => column.notNull())
    .addColumn('session', 'text', column => column.notNull())
    .addColumn('since', 'double precision', column => column.notNull())
    .addColumn('beat_at', 'double precision', column => column.notNull())
    .addColumn('reserved_micros', 'double precision', column => column.notNull().defaultTo(0))
    .addColumn('report', 'text')
    .execute();
  await createIndex(db, 'fleet_claims', ['host']);
}

async function createResults(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('fleet_results')
    .addColumn('run', 'text', column => column.notNull())
    .addColumn('task', 'text', column => column.notNull())
    .addColumn('attempt', 'integer', column => column.notNull())
    .addColumn('sequence', 'integer', column => column.notNull())
    .addColumn('claim', 'integer', column => column.notNull())
    .addColumn('host', 'text', column => column.notNull())
    .addColumn('record', 'text')
    .addColumn('gave_up', 'text')
    .addColumn('cost_micros', 'double precision', column => column.notNull())
    .addColumn('recorded_at', 'double precision', column => column.notNull())
    .addPrimaryKeyConstraint('fleet_results_key', ['run', 'task', 'attempt'])
    .execute();
  await createIndex(db, 'fleet_results', ['run', 'sequence'], 'unique');
}

async function createHosts(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('fleet_hosts')
    .addColumn('id', 'text', column => column.primaryKey().notNull())
    .addColumn('session', 'text', column => column.notNull())
    .addColumn('name', 'text', column => column.notNull())
    .addColumn('labels', 'text', column => column.notNull())
    .addColumn('slots', 'integer', column => column.notNull())
    .addColumn('versions', 'text', column => column.notNull())
    .addColumn('disk_free', 'double precision')
    .addColumn('refusing', 'text')
    .addColumn('draining', 'integer', column => column.notNull().defaultTo(0))
    .addColumn('gone', 'integer', column => column.notNull().defaultTo(0))
    .addColumn('beat_at', 'double precision', column => column.notNull())
    .execute();
}

async function addProviders(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('fleet_jobs').addColumn('provider', 'text').execute();
}

/** In the order in which waiting jobs are opened: without it, every result sorts all of them. */
async function orderWaiting(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createIndex('fleet_jobs_by_order')
    .on('fleet_jobs')
    .columns(['run', 'state', 'priority desc', 'position'])
    .execute();
  await db.schema.dropIndex('fleet_jobs_by_run_state_priority_position').execute();
}

async function addAcknowledged(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('fleet_runs')
    .addColumn('acknowledged', 'integer', column => column.notNull().defaultTo(0))
    .execute();
}

async function createIndex(
  db: Kysely<unknown>,
  table: string,
  columns: string[],
  kind?: 'unique',
): Promise<void> {
  const index = db.schema
    .createIndex(`${table}_by_${columns.join('_')}`)
    .on(table)
    .columns(columns);
  await (kind === 'unique' ? index.unique() : index).execute();
}
