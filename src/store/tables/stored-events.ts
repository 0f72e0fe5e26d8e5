import type { Kysely, Selectable, Transaction } from 'kysely';
import type { CarrelEvent, EventType, NewEvent } from '../../domain/event.js';
import { parseJson, sortRows } from '../rows/row-shape.js';
import type { EventRow, Schema } from '../rows/table-schema.js';
import type { EventTable } from '../store.js';
import type { Session } from '../store-session.js';

type Filter = Parameters<EventTable['list']>[0];

export function createEventTable(session: Session): EventTable {
  return {
    append: events => session.change(change => change.append(events)),
    list: filter =>
      session.read(
        async db => sortRows(await listRows(db, filter), row => fromRow(row, session.location)).sound,
      ),
    last: () => session.read(findLast),
    latestTime: () => session.read(findLatestTime),
  };
}

/** Used by every change of every table; see `Change.append`. */
export async function insertEvents(
  db: Transaction<Schema>,
  events: readonly NewEvent[],
  at: string,
): Promise<void> {
  if (events.length === 0) return;
  const rows = events.map(event => ({
    at,
    type: event.type,
    repository_id: event.repositoryId,
    workspace_id: event.workspaceId,
    task_id: event.taskId ?? null,
    data: JSON.stringify(event.data),
  }));
  await db.insertInto('events').values(rows).execute();
}

function listRows(db: Kysely<Schema>, filter: Filter): Promise<Selectable<EventRow>[]> {
  const { after = 0, workspaceId, taskId, limit } = filter;
  let wanted = db.selectFrom('events').selectAll().where('sequence', '>', after);
  if (workspaceId !== undefined) wanted = wanted.where('workspace_id', '=', workspaceId);
  if (taskId !== undefined) wanted = wanted.where('task_id', '=', taskId);
  return wanted.orderBy('sequence').limit(limit).execute();
}

async function findLast(db: Kysely<Schema>): Promise<number> {
  const row = await db
    .selectFrom('events')
    .select(({ fn }) => fn.max<number | null>('sequence').as('last'))
    .executeTakeFirst();
  return row?.last ?? 0;
}

/** How many events the clock check reads: by the primary key, so that it is fast in a long history. */
const LOOKED_AT = 1000;

async function findLatestTime(db: Kysely<Schema>): Promise<string | null> {
  const looked = db.selectFrom('events').where('sequence', '>', (await findLast(db)) - LOOKED_AT);
  const trusted = await looked
    .select(({ fn }) => fn.max<number | null>('sequence').as('since'))
    .where('type', '=', 'clock.trusted')
    .executeTakeFirst();
  const row = await looked
    .select(({ fn }) => fn.max<string | null>('at').as('latest'))
    .where('sequence', '>=', trusted?.since ?? 0)
    .executeTakeFirst();
  return row?.latest ?? null;
}

function fromRow(row: Selectable<EventRow>, location: string): CarrelEvent {
  return {
    sequence: row.sequence,
    at: row.at,
    type: row.type as EventType,
    repositoryId: row.repository_id,
    workspaceId: row.workspace_id,
    taskId: row.task_id,
    data: parseJson(row.data, 'object', { location, table: 'events', id: row.sequence }),
  };
}
