import type { Kysely } from 'kysely';
import type { Remains } from '../../domain/remains.js';
import type { RemainsRow, Schema } from '../schema.js';
import type { Session } from '../session.js';
import type { RemainsTable } from '../store.js';
import { adoptRow, fromOwnerColumns, toOwnerColumns } from './owner.js';
import { parseJson, requireShape, type Shape } from './row.js';

export function createRemainsTable(session: Session): RemainsTable {
  const { location } = session;
  return {
    insert: remains =>
      session.change(async ({ db }) => {
        await db.insertInto('remains').values(toRow(remains)).execute();
      }),
    find: id =>
      session.read(async db => {
        const row = await db.selectFrom('remains').selectAll().where('id', '=', id).executeTakeFirst();
        return row && fromRow(row, location);
      }),
    list: repositoryId =>
      session.read(async db => (await listRows(db, repositoryId)).map(row => fromRow(row, location))),
    adopt: (id, previous, owner) => session.change(({ db }) => adoptRow(db, 'remains', id, previous, owner)),
    update: (id, patch) => session.change(({ db }) => updateRow(db, id, patch, location)),
    remove: id =>
      session.change(async ({ db }) => {
        await db.deleteFrom('remains').where('id', '=', id).execute();
      }),
  };
}

function toRow({ id, repositoryId, createdAt, owner, ...details }: Remains): RemainsRow {
  return {
    id,
    repository_id: repositoryId,
    created_at: createdAt,
    details: JSON.stringify(details),
    ...toOwnerColumns(owner),
  };
}

function listRows(db: Kysely<Schema>, repositoryId: string | undefined): Promise<RemainsRow[]> {
  const all = db.selectFrom('remains').selectAll().orderBy('created_at').orderBy('id');
  return (repositoryId === undefined ? all : all.where('repository_id', '=', repositoryId)).execute();
}

function fromRow(row: RemainsRow, location: string): Remains {
  const place = { location, table: 'remains', id: row.id };
  const record = {
    ...parseJson(row.details, 'object', place),
    id: row.id,
    repositoryId: row.repository_id,
    createdAt: row.created_at,
    owner: fromOwnerColumns(row),
  };
  return requireShape<Remains>(record, shape, place);
}

const shape: Shape<Remains> = {
  id: 'string',
  directory: 'string',
  holds: 'string',
  isPartial: 'boolean',
  lower: 'string?',
  repositoryId: 'string',
  repository: 'string',
  commonDir: 'string?',
  workspaceId: 'string',
  workspaceName: 'string',
  branch: 'string?',
  base: 'object',
  reason: 'string',
  createdAt: 'string',
  owner: 'object',
};

async function updateRow(
  db: Kysely<Schema>,
  id: string,
  patch: Partial<Omit<Remains, 'id' | 'owner'>>,
  location: string,
): Promise<void> {
  const row = await db.selectFrom('remains').selectAll().where('id', '=', id).executeTakeFirst();
  if (!row) return;
  const { owner_pid, owner_started_at, owner_realm, ...changed } = toRow({
    ...fromRow(row, location),
    ...patch,
  });
  await db.updateTable('remains').set(changed).where('id', '=', id).execute();
}
