import type { Kysely } from 'kysely';
import { sortRows } from '../rows/row-shape.js';
import { fromSlotRow } from '../rows/slot-row.js';
import type { Schema } from '../rows/table-schema.js';
import { fromTaskRow } from '../rows/task-row.js';
import { fromWorkspaceRow } from '../rows/workspace-row.js';
import type { DamagedRow, DamagedRows } from '../store.js';
import type { Session } from '../store-session.js';
import { fromJournalRow } from './stored-journal.js';
import { fromRemainsRow } from './stored-remains.js';
import { fromSnapshotRow } from './stored-snapshots.js';

export function createDamagedRows(session: Session): DamagedRows {
  const { location } = session;
  return {
    list: () => session.read(db => listDamaged(db, location)),
    remove: ({ table, id }) =>
      session.change(async ({ db }) => {
        const damaged = await listDamaged(db, location);
        if (!damaged.some(row => row.table === table && row.id === id)) return;
        await db.deleteFrom(table).where('id', '=', id).execute();
      }),
  };
}

async function listDamaged(db: Kysely<Schema>, location: string): Promise<DamagedRow[]> {
  const rows = <T extends DamagedRow['table']>(table: T) => db.selectFrom(table as 'workspaces').selectAll();
  const find = async <Row extends { id: string }>(
    table: DamagedRow['table'],
    read: (row: Row, location: string) => unknown,
  ): Promise<DamagedRow[]> => {
    const found = (await rows(table).execute()) as unknown as Row[];
    const { damaged } = sortRows(found, row => read(row, location));
    return damaged.map(({ row, problem }) => ({ table, id: row.id, problem }));
  };
  return [
    ...(await find('workspaces', fromWorkspaceRow)),
    ...(await find('snapshots', fromSnapshotRow)),
    ...(await find('journal', fromJournalRow)),
    ...(await find('remains', fromRemainsRow)),
    ...(await find('slots', fromSlotRow)),
    ...(await find('tasks', fromTaskRow)),
  ];
}
