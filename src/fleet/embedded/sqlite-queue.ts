import type { Generated, Kysely, Transaction } from 'kysely';
import type { EntryClaim, JobQueue, LedgerChange } from '../ledger/ledger-session.js';

/** What the embedded engine has beside the tables of the ledger. */
export interface QueueTables {
  fleet_queue: {
    id: string;
    entry_group: string;
    priority: number;
    /** The order of pushing. */
    position: Generated<number>;
    retry: Generated<number>;
    taken: Generated<number>;
  };
  fleet_news: { sequence: Generated<number>; text: string };
}

export async function createQueueTable(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('fleet_queue')
    .addColumn('position', 'integer', column => column.primaryKey().autoIncrement())
    .addColumn('id', 'text', column => column.notNull().unique())
    .addColumn('entry_group', 'text', column => column.notNull())
    .addColumn('priority', 'integer', column => column.notNull())
    .addColumn('retry', 'integer', column => column.notNull().defaultTo(0))
    .addColumn('taken', 'integer', column => column.notNull().defaultTo(0))
    .execute();
  await db.schema
    .createIndex('fleet_queue_by_order')
    .on('fleet_queue')
    .columns(['taken', 'priority', 'position'])
    .execute();
  await db.schema
    .createTable('fleet_news')
    .addColumn('sequence', 'integer', column => column.primaryKey().autoIncrement())
    .addColumn('text', 'text', column => column.notNull())
    .execute();
}

/** A queue as a table: SQLite has one writer at a time, so that taking needs no further lock. */
export function createSqliteQueue(): JobQueue {
  return {
    push: async (change, entries) => {
      const rows = entries.map(({ id, group, priority }) => ({ id, entry_group: group, priority }));
      await withQueue(change).insertInto('fleet_queue').values(rows).execute();
    },
    take: async (change, { limit, ignoring }) => {
      let query = withQueue(change)
        .selectFrom('fleet_queue')
        .selectAll()
        .where('taken', '=', 0)
        .orderBy('priority', 'desc')
        .orderBy('position')
        .limit(limit);
      if (ignoring.length > 0) query = query.where('entry_group', 'not in', ignoring);
      const rows = await query.execute();
      const ids = rows.map(row => row.id);
      if (ids.length > 0)
        await withQueue(change).updateTable('fleet_queue').set({ taken: 1 }).where('id', 'in', ids).execute();
      return rows.map(({ id, retry, entry_group }) => ({ id, retry, group: entry_group }));
    },
    finish: async (change, entry) => {
      const rows = await taken(change, entry).returning('id').execute();
      return rows.length === 1;
    },
    giveBack: async (change, { id, retry }) => {
      const rows = await withQueue(change)
        .updateTable('fleet_queue')
        .set({ taken: 0, retry: retry + 1 })
        .where('id', '=', id)
        .where('retry', '=', retry)
        .where('taken', '=', 1)
        .returning('id')
        .execute();
      return rows.length === 1;
    },
    tidy: async () => undefined,
  };
}

function taken(change: LedgerChange, { id, retry }: EntryClaim) {
  return withQueue(change)
    .deleteFrom('fleet_queue')
    .where('id', '=', id)
    .where('retry', '=', retry)
    .where('taken', '=', 1);
}

export const withQueue = (change: LedgerChange): Transaction<QueueTables> =>
  change as unknown as Transaction<QueueTables>;
