import type { Kysely } from 'kysely';
import type { ProcessIdentity } from '../../domain/process-identity.js';
import type { OwnerColumns, Schema } from './table-schema.js';

export function toOwnerColumns(owner: ProcessIdentity): OwnerColumns {
  return { owner_pid: owner.pid, owner_started_at: owner.startedAt, owner_realm: owner.realm };
}

export function fromOwnerColumns(row: OwnerColumns): ProcessIdentity {
  return { pid: row.owner_pid, startedAt: row.owner_started_at, realm: row.owner_realm };
}

/** By compare-and-swap: false when it no longer belongs to the previous owner. */
export async function adoptEntry(
  db: Kysely<Schema>,
  id: string,
  previous: ProcessIdentity,
  owner: ProcessIdentity,
): Promise<boolean> {
  const changed = await db
    .updateTable('journal')
    .set(toOwnerColumns(owner))
    .where('id', '=', id)
    .where('owner_pid', '=', previous.pid)
    .where('owner_started_at', '=', previous.startedAt)
    .where('owner_realm', '=', previous.realm)
    .executeTakeFirst();
  return changed.numUpdatedRows > 0n;
}
