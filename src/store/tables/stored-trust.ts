import type { Kysely } from 'kysely';
import { parseJson, sortRows } from '../rows/row-shape.js';
import type { Schema, TrustRow } from '../rows/table-schema.js';
import type { TrustGrant, TrustTable } from '../store.js';
import type { Session } from '../store-session.js';

export function createTrustTable(session: Session): TrustTable {
  return {
    grant: (grant, events) =>
      session.change(async change => {
        await writeGrant(change.db, toRow(grant));
        await change.append(events);
      }),
    find: (repositoryId, digest) =>
      session.read(async db => {
        const grants = db.selectFrom('trust').selectAll().where('repository_id', '=', repositoryId);
        const row = await grants.where('digest', '=', digest).executeTakeFirst();
        return row && fromRow(row, session.location);
      }),
    list: repositoryId =>
      session.read(
        async db => sortRows(await listRows(db, repositoryId), row => fromRow(row, session.location)).sound,
      ),
    revoke: (repositoryId, events) =>
      session.change(async change => {
        const grants = change.db.deleteFrom('trust').where('repository_id', '=', repositoryId);
        const { numDeletedRows } = await grants.executeTakeFirst();
        if (numDeletedRows > 0n) await change.append(events);
        return Number(numDeletedRows);
      }),
  };
}

function toRow(grant: TrustGrant): TrustRow {
  return {
    repository_id: grant.repositoryId,
    digest: grant.digest,
    repository: grant.repository,
    commands: JSON.stringify(grant.commands),
    granted_at: grant.grantedAt,
  };
}

/** Granting the same text again renews the grant. */
async function writeGrant(db: Kysely<Schema>, row: TrustRow): Promise<void> {
  await db
    .insertInto('trust')
    .values(row)
    .onConflict(conflict => conflict.columns(['repository_id', 'digest']).doUpdateSet(row))
    .execute();
}

function listRows(db: Kysely<Schema>, repositoryId: string | undefined): Promise<TrustRow[]> {
  const all = db.selectFrom('trust').selectAll();
  const wanted = repositoryId === undefined ? all : all.where('repository_id', '=', repositoryId);
  return wanted.orderBy('granted_at').orderBy('digest').execute();
}

function fromRow(row: TrustRow, location: string): TrustGrant {
  return {
    repositoryId: row.repository_id,
    repository: row.repository,
    digest: row.digest,
    commands: parseJson(row.commands, 'array', { location, table: 'trust', id: row.digest }) as string[],
    grantedAt: row.granted_at,
  };
}
