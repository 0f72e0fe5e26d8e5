import type { Kysely } from 'kysely';
import { carrelError } from '../../domain/error/error.js';
import type { WorkspaceRecord, WorkspaceStatus } from '../../domain/workspace/workspace.js';
import { sortRows } from '../rows/row-shape.js';
import type { Schema } from '../rows/table-schema.js';
import { fromWorkspaceRow, toLeaseColumns, toWorkspaceRow } from '../rows/workspace-row.js';
import type { WorkspaceTable } from '../store.js';
import type { Change, Session } from '../store-session.js';
import { listReservedPaths, type Place, refuseReserved } from './reserved-places.js';

export function createWorkspaceTable(session: Session): WorkspaceTable {
  return {
    insert: (record, events) =>
      session.change(async change => {
        await refuseTaken(change.db, placeOf(record));
        await refuseReserved(change.db, placeOf(record), record.taskId);
        await change.db.insertInto('workspaces').values(toWorkspaceRow(record)).execute();
        await change.append(events);
      }),
    find: id => session.read(db => findRecord(db, id, session.location)),
    list: filter => session.read(db => listRecords(db, filter?.repositoryId, session.location)),
    takenPaths: () =>
      session.read(async db => {
        const rows = await db.selectFrom('workspaces').select('path').execute();
        return [...rows.map(({ path }) => path), ...(await listReservedPaths(db))];
      }),
    update: (id, expected, patch, events) =>
      session.change(async change => {
        const record = await updateRecord(change.db, { id, expected, patch, location: session.location });
        if (record) await change.append(events);
        return record;
      }),
    setLease: (id, expected, lease, events) =>
      session.change(async change => {
        const isSet = await setLease(change.db, id, expected, lease);
        if (isSet) await change.append(events);
        return isSet;
      }),
    touch: (id, at) =>
      session.change(async ({ db }) => {
        const row = db.updateTable('workspaces').set({ last_activity_at: at }).where('id', '=', id);
        await row.where('last_activity_at', '<', at).execute();
      }),
    remove: (id, events) => session.change(change => removeRecord(change, id, events)),
  };
}

/** Several direct workspaces may share a path. */
const placeOf = ({ repositoryId, name, path, backend }: WorkspaceRecord): Place => ({
  repositoryId,
  name,
  path: backend === 'direct' ? null : path,
});

/** Paths that differ in case only are one directory on some file systems. */
export async function refuseTaken(db: Kysely<Schema>, place: Place, self = ''): Promise<void> {
  const taken = await db
    .selectFrom('workspaces')
    .select(['name', 'path'])
    .where('id', '<>', self)
    .where(({ and, or, eb, fn, val }) =>
      or([
        and([eb('repository_id', '=', place.repositoryId), eb('name', '=', place.name)]),
        and([eb(fn('lower', ['path']), '=', fn('lower', [val(place.path)])), eb('backend', '<>', 'direct')]),
      ]),
    )
    .executeTakeFirst();
  if (taken) throw carrelError('WORKSPACE_EXISTS', taken);
}

async function findRecord(
  db: Kysely<Schema>,
  id: string,
  location: string,
): Promise<WorkspaceRecord | undefined> {
  const row = await db.selectFrom('workspaces').selectAll().where('id', '=', id).executeTakeFirst();
  return row && fromWorkspaceRow(row, location);
}

async function listRecords(
  db: Kysely<Schema>,
  repositoryId: string | undefined,
  location: string,
): Promise<WorkspaceRecord[]> {
  const all = db.selectFrom('workspaces').selectAll();
  const wanted = repositoryId === undefined ? all : all.where('repository_id', '=', repositoryId);
  const rows = await wanted.orderBy('created_at').orderBy('id').execute();
  return sortRows(rows, row => fromWorkspaceRow(row, location)).sound;
}

interface RecordUpdate {
  readonly id: string;
  readonly expected: WorkspaceStatus;
  readonly patch: Partial<Omit<WorkspaceRecord, 'id'>>;
  readonly location: string;
}

async function updateRecord(db: Kysely<Schema>, update: RecordUpdate): Promise<WorkspaceRecord | undefined> {
  const current = await findRecord(db, update.id, update.location);
  if (current?.status !== update.expected) return undefined;
  const record = { ...current, ...update.patch, id: update.id };
  await refuseTaken(db, placeOf(record), update.id);
  if (record.name !== current.name || record.path !== current.path) await refuseReserved(db, placeOf(record));
  const row = toWorkspaceRow(record);
  await db.updateTable('workspaces').set(row).where('id', '=', update.id).execute();
  return fromWorkspaceRow(row, update.location);
}

async function setLease(
  db: Kysely<Schema>,
  id: string,
  expected: string | null,
  lease: WorkspaceRecord['lease'],
): Promise<boolean> {
  const changed = await db
    .updateTable('workspaces')
    .set(toLeaseColumns(lease))
    .where('id', '=', id)
    .where('lease_id', expected === null ? 'is' : '=', expected)
    .executeTakeFirst();
  return changed.numUpdatedRows > 0n;
}

async function removeRecord(
  change: Change,
  id: string,
  events: Parameters<Change['append']>[0],
): Promise<boolean> {
  const removed = await change.db.deleteFrom('workspaces').where('id', '=', id).executeTakeFirst();
  if (removed.numDeletedRows === 0n) return false;
  await change.db.deleteFrom('ports').where('workspace_id', '=', id).execute();
  await change.db.deleteFrom('commands').where('workspace_id', '=', id).execute();
  await change.append(events);
  return true;
}
