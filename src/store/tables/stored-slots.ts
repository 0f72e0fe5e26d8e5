import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import { isSameProcess } from '../../domain/process-identity.js';
import type { SlotRecord } from '../../domain/workspace/slot.js';
import { sortRows } from '../rows/row-shape.js';
import { fromSlotRow, toSlotRow } from '../rows/slot-row.js';
import type { Schema, SlotRow } from '../rows/table-schema.js';
import type { ExpectedSlot, SlotTable } from '../store.js';
import type { Session } from '../store-session.js';

export function createSlotTable(session: Session): SlotTable {
  const { location } = session;
  const read = (row: SlotRow | undefined) => row && fromSlotRow(row, location);
  return {
    insert: (slot, cap, events) =>
      session.change(async ({ db, append }) => {
        if ((await countSlots(db, slot.repositoryId)) >= cap) return false;
        await db.insertInto('slots').values(toSlotRow(slot)).execute();
        await append(events);
        return true;
      }),
    find: id => session.read(async db => read(await findRow(db, 'id', id))),
    findByLease: leaseId => session.read(async db => read(await findRow(db, 'lease_id', leaseId))),
    list: repositoryId =>
      session.read(async db => sortOut(await listRows(db, repositoryId), row => fromSlotRow(row, location))),
    claimFree: (repositoryId, wanted, patch, events) =>
      session.change(async ({ db, append }) => {
        const free = sortOut(await listFree(db, repositoryId, wanted), row => fromSlotRow(row, location));
        const [slot] = free.slots;
        if (!slot) return undefined;
        const claimed = { ...slot, ...patch };
        await db.updateTable('slots').set(toSlotRow(claimed)).where('id', '=', slot.id).execute();
        await append(events.map(event => ({ ...event, data: { slot: slot.id, ...event.data } })));
        return claimed;
      }),
    update: (id, expected, patch, events) =>
      session.change(async ({ db, append }) => {
        const slot = read(await findRow(db, 'id', id));
        if (!slot || !isAsExpected(slot, expected)) return undefined;
        const changed = { ...slot, ...patch };
        await db.updateTable('slots').set(toSlotRow(changed)).where('id', '=', id).execute();
        await append(events);
        return changed;
      }),
    remove: (id, expected, events) =>
      session.change(async ({ db, append }) => {
        const slot = read(await findRow(db, 'id', id));
        if (!slot || !isAsExpected(slot, expected)) return false;
        await db.deleteFrom('slots').where('id', '=', id).execute();
        await append(events);
        return true;
      }),
    removeDamaged: id =>
      session.change(async ({ db }) => {
        await db.deleteFrom('slots').where('id', '=', id).execute();
      }),
  };
}

async function countSlots(db: Kysely<Schema>, repositoryId: string): Promise<number> {
  const counted = await db
    .selectFrom('slots')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('repository_id', '=', repositoryId)
    .where('status', '<>', 'quarantined')
    .executeTakeFirst();
  return Number(counted?.count ?? 0);
}

function findRow(db: Kysely<Schema>, column: 'id' | 'lease_id', value: string): Promise<SlotRow | undefined> {
  return db.selectFrom('slots').selectAll().where(column, '=', value).executeTakeFirst();
}

function listRows(db: Kysely<Schema>, repositoryId: string | undefined): Promise<SlotRow[]> {
  const all = db.selectFrom('slots').selectAll().orderBy('created_at').orderBy('id');
  return (repositoryId === undefined ? all : all.where('repository_id', '=', repositoryId)).execute();
}

function sortOut(rows: readonly SlotRow[], read: (row: SlotRow) => SlotRecord) {
  const { sound, damaged } = sortRows(rows, read);
  return { slots: sound, damaged: damaged.map(({ row }) => row.id) };
}

/** The best first. All of them, because a damaged one must not hide the intact ones after it; there are few. */
function listFree(
  db: Kysely<Schema>,
  repositoryId: string,
  wanted: { readonly commit: string; readonly kind?: SlotRecord['kind'] },
): Promise<SlotRow[]> {
  const free = db
    .selectFrom('slots')
    .selectAll()
    .where('repository_id', '=', repositoryId)
    .where('status', '=', 'free')
    .orderBy(sql`commit_id = ${wanted.commit}`, 'desc')
    .orderBy('changed_at', 'desc');
  return (wanted.kind === undefined ? free : free.where('kind', '=', wanted.kind)).execute();
}

function isAsExpected(slot: SlotRecord, { status, leaseId, owner }: ExpectedSlot): boolean {
  if (slot.status !== status) return false;
  if (leaseId !== undefined && (slot.lease?.id ?? null) !== leaseId) return false;
  if (owner === undefined) return true;
  if (owner === null || slot.owner === null) return owner === slot.owner;
  return isSameProcess(owner, slot.owner);
}
