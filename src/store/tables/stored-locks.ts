import type { Kysely } from 'kysely';
import { fromOwnerColumns, toOwnerColumns } from '../rows/owner-columns.js';
import type { LockRow, Schema } from '../rows/table-schema.js';
import type { Lock, LockTable } from '../store.js';
import type { Session } from '../store-session.js';

export function createLockTable(session: Session): LockTable {
  return {
    find: name =>
      session.read(async db => {
        const row = await db.selectFrom('locks').selectAll().where('name', '=', name).executeTakeFirst();
        return row && fromRow(row);
      }),
    acquire: (lock, takeOverFrom) => session.change(({ db }) => acquireLock(db, lock, takeOverFrom)),
    release: (name, token) =>
      session.change(async ({ db }) => {
        await db.deleteFrom('locks').where('name', '=', name).where('token', '=', token).execute();
      }),
  };
}

function fromRow(row: LockRow): Lock {
  return { name: row.name, token: row.token, owner: fromOwnerColumns(row), acquiredAt: row.acquired_at };
}

async function acquireLock(
  db: Kysely<Schema>,
  lock: Lock,
  takeOverFrom: string | undefined,
): Promise<boolean> {
  const { name, token, acquiredAt, owner } = lock;
  const holder = { token, acquired_at: acquiredAt, ...toOwnerColumns(owner) };
  const written = await db
    .insertInto('locks')
    .values({ name, ...holder })
    .onConflict(conflict =>
      takeOverFrom === undefined
        ? conflict.doNothing()
        : conflict.column('name').doUpdateSet(holder).where('locks.token', '=', takeOverFrom),
    )
    .executeTakeFirst();
  return (written.numInsertedOrUpdatedRows ?? 0n) > 0n;
}
