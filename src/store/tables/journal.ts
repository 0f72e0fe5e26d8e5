import type { Kysely } from 'kysely';
import { carrelError } from '../../domain/error.js';
import type { JournalEntry, JournalKind } from '../../domain/journal.js';
import type { JournalRow, Schema } from '../schema.js';
import type { Session } from '../session.js';
import type { JournalTable } from '../store.js';
import { adoptEntry, fromOwnerColumns, toOwnerColumns } from './owner.js';
import { parseJson } from './row.js';

export function createJournalTable(session: Session): JournalTable {
  const { location } = session;
  return {
    begin: entry =>
      session.change(async ({ db }) => {
        await db.insertInto('journal').values(toRow(entry)).execute();
      }),
    advance: (id, step, data) => session.change(({ db }) => advanceEntry(db, { id, step, data, location })),
    finish: id =>
      session.change(async ({ db }) => {
        await db.deleteFrom('journal').where('id', '=', id).execute();
      }),
    list: () => session.read(async db => (await listRows(db)).map(row => fromRow(row, location))),
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
  readonly step: string;
  readonly data: Readonly<Record<string, unknown>> | undefined;
  readonly location: string;
}

async function advanceEntry(db: Kysely<Schema>, { id, step, data, location }: Advance): Promise<void> {
  const row = await db.selectFrom('journal').selectAll().where('id', '=', id).executeTakeFirst();
  // Going on without an entry would leave half-done work that no recovery can find.
  if (!row)
    throw carrelError('INTERNAL', { problem: `the journal has no entry ${id} to move to step ${step}` });
  const merged = JSON.stringify({ ...fromRow(row, location).data, ...data });
  await db.updateTable('journal').set({ step, data: merged }).where('id', '=', id).execute();
}

function listRows(db: Kysely<Schema>): Promise<JournalRow[]> {
  return db.selectFrom('journal').selectAll().orderBy('started_at').orderBy('id').execute();
}

function fromRow(row: JournalRow, location: string): JournalEntry {
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
