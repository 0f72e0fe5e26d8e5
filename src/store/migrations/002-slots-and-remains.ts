import type { Kysely } from 'kysely';

/** The pools' slots, and what was moved aside. */
export async function createSlotsAndRemains(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('slots')
    .addColumn('id', 'text', column => column.primaryKey().notNull())
    .addColumn('repository_id', 'text', column => column.notNull())
    .addColumn('kind', 'text', column => column.notNull())
    .addColumn('status', 'text', column => column.notNull())
    .addColumn('commit_id', 'text', column => column.notNull())
    .addColumn('lease_id', 'text', column => column.unique())
    .addColumn('owner_pid', 'integer')
    .addColumn('owner_started_at', 'text')
    .addColumn('owner_realm', 'text')
    .addColumn('created_at', 'text', column => column.notNull())
    .addColumn('changed_at', 'text', column => column.notNull())
    .addColumn('details', 'text', column => column.notNull())
    .execute();
  await db.schema.createIndex('slots_repository').on('slots').columns(['repository_id', 'status']).execute();
  await db.schema
    .createTable('remains')
    .addColumn('id', 'text', column => column.primaryKey().notNull())
    .addColumn('repository_id', 'text', column => column.notNull())
    .addColumn('owner_pid', 'integer', column => column.notNull())
    .addColumn('owner_started_at', 'text', column => column.notNull())
    .addColumn('owner_realm', 'text', column => column.notNull())
    .addColumn('created_at', 'text', column => column.notNull())
    .addColumn('details', 'text', column => column.notNull())
    .execute();
}
