import type { Kysely } from 'kysely';
import { carrelError } from '../../domain/error/error.js';
import type { Snapshot } from '../../domain/snapshot/snapshot.js';
import { parseJson, requireShape, type Shape, sortRows } from '../rows/row-shape.js';
import type { Schema, SnapshotRow } from '../rows/table-schema.js';
import type { SnapshotTable } from '../store.js';
import type { Session } from '../store-session.js';

type Filter = Parameters<SnapshotTable['list']>[0];

export function createSnapshotTable(session: Session): SnapshotTable {
  const { location } = session;
  return {
    insert: (snapshot, events) =>
      session.change(async change => {
        await change.db.insertInto('snapshots').values(toRow(snapshot)).execute();
        await change.append(events);
      }),
    find: id => session.read(db => findSnapshot(db, id, location)),
    list: filter =>
      session.read(
        async db => sortRows(await listRows(db, filter), row => fromSnapshotRow(row, location)).sound,
      ),
    update: (id, patch, events) =>
      session.change(async change => {
        const current = await findSnapshot(change.db, id, location);
        if (!current) throw await createNotFound(change.db, id);
        const row = toRow({ ...current, ...patch, id });
        await change.db.updateTable('snapshots').set(row).where('id', '=', id).execute();
        await change.append(events);
      }),
    remove: (id, events) =>
      session.change(async change => {
        const removed = await change.db.deleteFrom('snapshots').where('id', '=', id).executeTakeFirst();
        if (removed.numDeletedRows > 0n) await change.append(events);
      }),
  };
}

function toRow(snapshot: Snapshot): SnapshotRow {
  const { id, repositoryId, workspaceId, workspaceName, createdAt, ...details } = snapshot;
  return {
    id,
    repository_id: repositoryId,
    workspace_id: workspaceId,
    workspace_name: workspaceName,
    created_at: createdAt,
    details: JSON.stringify(details),
  };
}

async function findSnapshot(db: Kysely<Schema>, id: string, location: string): Promise<Snapshot | undefined> {
  const row = await db.selectFrom('snapshots').selectAll().where('id', '=', id).executeTakeFirst();
  return row && fromSnapshotRow(row, location);
}

function listRows(db: Kysely<Schema>, filter: Filter = {}): Promise<SnapshotRow[]> {
  return db
    .selectFrom('snapshots')
    .selectAll()
    .$if(filter.repositoryId !== undefined, query =>
      query.where('repository_id', '=', filter.repositoryId as string),
    )
    .$if(filter.workspaceName !== undefined, query =>
      query.where('workspace_name', '=', filter.workspaceName as string),
    )
    .$if(filter.workspaceId !== undefined, query =>
      query.where('workspace_id', '=', filter.workspaceId as string),
    )
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute();
}

export function fromSnapshotRow(row: SnapshotRow, location: string): Snapshot {
  const place = { location, table: 'snapshots', id: row.id };
  const snapshot = {
    ...parseJson(row.details, 'object', place),
    id: row.id,
    workspaceId: row.workspace_id,
    workspaceName: row.workspace_name,
    repositoryId: row.repository_id,
    createdAt: row.created_at,
  };
  return requireShape<Snapshot>(snapshot, shape, place);
}

const shape: Shape<Snapshot> = {
  id: 'string',
  workspaceId: 'string',
  workspaceName: 'string',
  repository: 'string',
  repositoryId: 'string',
  backend: 'string',
  branch: 'string?',
  base: 'object',
  commit: 'string?',
  ref: 'string',
  objectStore: 'string',
  reason: 'string',
  message: 'string?',
  createdAt: 'string',
  expiresAt: 'string',
  files: 'number',
  omitted: 'array',
};

async function createNotFound(db: Kysely<Schema>, id: string): Promise<Error> {
  const rows = await db.selectFrom('snapshots').select('id').orderBy('id', 'desc').limit(20).execute();
  return carrelError('SNAPSHOT_NOT_FOUND', { name: id, known: rows.map(row => row.id) });
}
