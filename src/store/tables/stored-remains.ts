import type { Kysely } from 'kysely';
import { isSameProcess } from '../../domain/process-identity.js';
import type { Remains } from '../../domain/snapshot/remains.js';
import { fromOwnerColumns, toOwnerColumns } from '../rows/owner-columns.js';
import { parseJson, requireShape, type Shape, sortRows } from '../rows/row-shape.js';
import type { RemainsRow, Schema } from '../rows/table-schema.js';
import type { RemainsTable } from '../store.js';
import type { Session } from '../store-session.js';

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
        return row && fromRemainsRow(row, location);
      }),
    list: repositoryId => session.read(async db => sortOut(await listRows(db, repositoryId), location).sound),
    listDamaged: () =>
      session.read(async db =>
        sortOut(await listRows(db, undefined), location).damaged.map(({ row }) => row.id),
      ),
    adopt: (seen, owner) =>
      session.change(async ({ db }) => {
        const present = await findOwned(db, seen, location);
        if (!present || present.failure !== seen.failure) return undefined;
        const { failure, ...adopted } = { ...present, owner };
        await replaceRow(db, adopted);
        return adopted;
      }),
    update: (own, patch) =>
      session.change(async ({ db }) => {
        const present = await findOwned(db, own, location);
        if (present) await replaceRow(db, { ...present, ...patch });
        return present !== undefined;
      }),
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

export function fromRemainsRow(row: RemainsRow, location: string): Remains {
  const place = { location, table: 'remains', id: row.id };
  const record = {
    ...later,
    ...parseJson(row.details, 'object', place),
    id: row.id,
    repositoryId: row.repository_id,
    createdAt: row.created_at,
    owner: fromOwnerColumns(row),
  };
  return requireShape<Remains>(record, shape, place);
}

/** Values of newer fields for older rows. */
const later: Partial<Remains> = { lower: null };

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

const sortOut = (rows: readonly RemainsRow[], location: string) =>
  sortRows(rows, row => fromRemainsRow(row, location));

async function findOwned(
  db: Kysely<Schema>,
  { id, owner }: Pick<Remains, 'id' | 'owner'>,
  location: string,
): Promise<Remains | undefined> {
  const row = await db.selectFrom('remains').selectAll().where('id', '=', id).executeTakeFirst();
  const present = row && fromRemainsRow(row, location);
  return present && isSameProcess(present.owner, owner) ? present : undefined;
}

async function replaceRow(db: Kysely<Schema>, remains: Remains): Promise<void> {
  await db.updateTable('remains').set(toRow(remains)).where('id', '=', remains.id).execute();
}
