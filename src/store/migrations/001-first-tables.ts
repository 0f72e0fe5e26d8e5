import { type Kysely, sql } from 'kysely';

/** The first version of the tables in table-schema.ts. A released migration is never edited. */
export async function createFirstTables(db: Kysely<unknown>): Promise<void> {
  await createWorkspaces(db);
  await createSnapshots(db);
  await createEvents(db);
  await createJournal(db);
  await createLocks(db);
  await createPorts(db);
  await createTrust(db);
  await createCommands(db);
}

async function createWorkspaces(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('workspaces')
    .addColumn('id', 'text', column => column.primaryKey().notNull())
    .addColumn('repository_id', 'text', column => column.notNull())
    .addColumn('name', 'text', column => column.notNull())
    .addColumn('path', 'text', column => column.notNull())
    .addColumn('backend', 'text', column => column.notNull())
    .addColumn('status', 'text', column => column.notNull())
    .addColumn('lease_id', 'text')
    .addColumn('lease_holder', 'text')
    .addColumn('lease_since', 'text')
    .addColumn('created_at', 'text', column => column.notNull())
    .addColumn('last_activity_at', 'text', column => column.notNull())
    .addColumn('details', 'text', column => column.notNull())
    .addUniqueConstraint('workspaces_name', ['repository_id', 'name'])
    .execute();
  // A direct workspace is a directory of the user, and several may use the same one.
  await db.schema
    .createIndex('workspaces_path')
    .unique()
    .on('workspaces')
    .column('path')
    .where(sql.ref('backend'), '<>', 'direct')
    .execute();
  await db.schema.createIndex('workspaces_age').on('workspaces').columns(['created_at', 'id']).execute();
}

async function createSnapshots(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('snapshots')
    .addColumn('id', 'text', column => column.primaryKey().notNull())
    .addColumn('repository_id', 'text', column => column.notNull())
    .addColumn('workspace_id', 'text', column => column.notNull())
    .addColumn('workspace_name', 'text', column => column.notNull())
    .addColumn('created_at', 'text', column => column.notNull())
    .addColumn('details', 'text', column => column.notNull())
    .execute();
  await db.schema
    .createIndex('snapshots_repository')
    .on('snapshots')
    .columns(['repository_id', 'workspace_name', 'created_at'])
    .execute();
  await db.schema
    .createIndex('snapshots_workspace')
    .on('snapshots')
    .columns(['workspace_id', 'created_at'])
    .execute();
}

async function createEvents(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('events')
    // Autoincrement: a number is never used twice, so a reader that remembers the last one misses nothing.
    .addColumn('sequence', 'integer', column => column.primaryKey().autoIncrement())
    .addColumn('at', 'text', column => column.notNull())
    .addColumn('type', 'text', column => column.notNull())
    .addColumn('repository_id', 'text')
    .addColumn('workspace_id', 'text')
    .addColumn('data', 'text', column => column.notNull())
    .execute();
  await db.schema
    .createIndex('events_workspace')
    .on('events')
    .columns(['workspace_id', 'sequence'])
    .execute();
}

async function createJournal(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('journal')
    .addColumn('id', 'text', column => column.primaryKey().notNull())
    .addColumn('kind', 'text', column => column.notNull())
    .addColumn('step', 'text', column => column.notNull())
    .addColumn('workspace_id', 'text', column => column.notNull())
    .addColumn('repository_id', 'text', column => column.notNull())
    .addColumn('data', 'text', column => column.notNull())
    .addColumn('owner_pid', 'integer', column => column.notNull())
    .addColumn('owner_started_at', 'text', column => column.notNull())
    .addColumn('owner_realm', 'text', column => column.notNull())
    .addColumn('started_at', 'text', column => column.notNull())
    .execute();
}

async function createLocks(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('locks')
    .addColumn('name', 'text', column => column.primaryKey().notNull())
    .addColumn('token', 'text', column => column.notNull())
    .addColumn('owner_pid', 'integer', column => column.notNull())
    .addColumn('owner_started_at', 'text', column => column.notNull())
    .addColumn('owner_realm', 'text', column => column.notNull())
    .addColumn('acquired_at', 'text', column => column.notNull())
    .execute();
}

async function createPorts(db: Kysely<unknown>): Promise<void> {
  // No foreign key: a block is claimed before the record that names it is written. Removing a workspace deletes both.
  await db.schema
    .createTable('ports')
    .addColumn('first', 'integer', column => column.primaryKey().notNull())
    .addColumn('workspace_id', 'text', column => column.notNull())
    .execute();
  await db.schema.createIndex('ports_workspace').on('ports').column('workspace_id').execute();
}

async function createTrust(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('trust')
    .addColumn('repository_id', 'text', column => column.notNull())
    .addColumn('digest', 'text', column => column.notNull())
    .addColumn('repository', 'text', column => column.notNull())
    .addColumn('commands', 'text', column => column.notNull())
    .addColumn('granted_at', 'text', column => column.notNull())
    .addPrimaryKeyConstraint('trust_key', ['repository_id', 'digest'])
    .execute();
}

async function createCommands(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('commands')
    .addColumn('id', 'text', column => column.primaryKey().notNull())
    .addColumn('workspace_id', 'text', column => column.notNull())
    .addColumn('command', 'text', column => column.notNull())
    .addColumn('owner_pid', 'integer', column => column.notNull())
    .addColumn('owner_started_at', 'text', column => column.notNull())
    .addColumn('owner_realm', 'text', column => column.notNull())
    .addColumn('started_at', 'text', column => column.notNull())
    .execute();
  await db.schema
    .createIndex('commands_workspace')
    .on('commands')
    .columns(['workspace_id', 'started_at'])
    .execute();
}
