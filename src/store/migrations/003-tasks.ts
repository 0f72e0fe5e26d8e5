import type { Kysely } from 'kysely';

/** The tasks, and events that are about one. */
export async function createTasks(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('tasks')
    .addColumn('id', 'text', column => column.primaryKey().notNull())
    .addColumn('repository_id', 'text', column => column.notNull())
    .addColumn('status', 'text', column => column.notNull())
    .addColumn('priority', 'integer', column => column.notNull())
    .addColumn('created_at', 'text', column => column.notNull())
    .addColumn('owner_pid', 'integer')
    .addColumn('owner_started_at', 'text')
    .addColumn('owner_realm', 'text')
    .addColumn('heartbeat_at', 'text')
    .addColumn('cancel_requested_at', 'text')
    .addColumn('details', 'text', column => column.notNull())
    .execute();
  await db.schema.createIndex('tasks_status').on('tasks').columns(['status', 'created_at']).execute();
  await db.schema
    .createIndex('tasks_repository')
    .on('tasks')
    .columns(['repository_id', 'created_at'])
    .execute();
  await db.schema.alterTable('events').addColumn('task_id', 'text').execute();
  await db.schema.createIndex('events_task').on('events').columns(['task_id', 'sequence']).execute();
}
