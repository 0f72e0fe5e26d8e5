import type { Kysely } from 'kysely';
import { carrelError } from '../../domain/error/error.js';
import type { JournalEntry, JournalKind } from '../../domain/journal.js';
import { isSameProcess, NO_OWNER, type ProcessIdentity } from '../../domain/process-identity.js';
import { adoptEntry, fromOwnerColumns, toOwnerColumns } from '../rows/owner-columns.js';
import { parseJson, sortRows } from '../rows/row-shape.js';
import type { JournalRow, Schema } from '../rows/table-schema.js';
import type { JournalTable } from '../store.js';
import type { Session } from '../store-session.js';

export function createJournalTable(session: Session): JournalTable {
  const { location } = session;
  return {
    begin: entry =>
      session.change(async ({ db }) => {
        await db.insertInto('journal').values(toRow(entry)).execute();
      }),
    advance: (id, owner, step, data) =>
      session.change(({ db }) => advanceEntry(db, { id, owner, step, data, location })),
    finish: (id, owner) =>
      session.change(async ({ db }) => {
        const row = await findRow(db, id);
        if (row) requireOwner(row, owner);
        await db.deleteFrom('journal').where('id', '=', id).execute();
        return row !== undefined;
      }),
    list: () =>
      session.read(async db => sortRows(await listRows(db), row => fromJournalRow(row, location)).sound),
    release: (id, owner) => session.change(({ db }) => adoptEntry(db, id, owner, NO_OWNER)),
    adopt: (id, previous, owner) => session.change(({ db }) => adoptEntry(db, id, previous, owner)),
  };
}

function toRow(entry: JournalEntry): JournalRow {
  return {
    id: entry.id,
    kind: entry.kind,
    step: entry.step,
    workspace_id: entry.workspaceId,
    repository_id: entry.repositoryId,
    data: JSON.stringify(entry.data),
    started_at: entry.startedAt,
    ...toOwnerColumns(entry.owner),
  };
}

interface Advance {
  readonly id: string;
  readonly owner: ProcessIdentity;
  readonly step: string;
  readonly data: Readonly<Record<string, unknown>> | undefined;
  readonly location: string;
}

async function advanceEntry(db: Kysely<Schema>, { id, owner, step, data, location }: Advance): Promise<void> {
  const row = await findRow(db, id);
  // Continuing without an entry would leave half-done work that no recovery can find.
  if (!row) throw carrelError('OPERATION_LOST', { operation: id });
  requireOwner(row, owner);
  const merged = JSON.stringify({ ...fromJournalRow(row, location).data, ...data });
  await db.updateTable('journal').set({ step, data: merged }).where('id', '=', id).execute();
}

const findRow = (db: Kysely<Schema>, id: string): Promise<JournalRow | undefined> =>
  db.selectFrom('journal').selectAll().where('id', '=', id).executeTakeFirst();

/** A process that was suspended for long may find that another one has finished or undone its operation. */
function requireOwner(row: JournalRow, owner: ProcessIdentity): void {
  if (isSameProcess(fromOwnerColumns(row), owner)) return;
  throw carrelError('OPERATION_LOST', { operation: row.kind });
}

function listRows(db: Kysely<Schema>): Promise<JournalRow[]> {
  return db.selectFrom('journal').selectAll().orderBy('started_at').orderBy('id').execute();
}

export function fromJournalRow(row: JournalRow, location: string): JournalEntry {
  return {
    id: row.id,
    kind: row.kind as JournalKind,
    step: row.step,
    workspaceId: row.workspace_id,
    repositoryId: row.repository_id,
    data: parseJson(row.data, 'object', { location, table: 'journal', id: row.id }),
    owner: fromOwnerColumns(row),
    startedAt: row.started_at,
  };
}
