import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import { isCarrelError } from '../../domain/error.js';
import { isSameProcess } from '../../domain/process-identity.js';
import type { TaskRecord } from '../../domain/task.js';
import type { Schema, TaskRow } from '../schema.js';
import type { Session } from '../session.js';
import type { ExpectedTask, TaskTable } from '../store.js';
import { fromTaskRow, ownerOf, toTaskRow } from './task-row.js';

export function createTaskTable(session: Session): TaskTable {
  const { location } = session;
  const read = (row: TaskRow | undefined) => row && fromTaskRow(row, location);
  return {
    insert: (task, events) =>
      session.change(async ({ db, append }) => {
        await db.insertInto('tasks').values(toTaskRow(task)).execute();
        await append(events);
      }),
    find: id => session.read(async db => read(await findRow(db, id))),
    list: (filter = {}) =>
      session.read(async db => keepReadable(await listRows(db, filter), row => fromTaskRow(row, location))),
    findIds: prefix => session.read(db => listIds(db, prefix)),
    update: (id, expected, patch, events) =>
      session.change(async ({ db, append }) => {
        const task = read(await findRow(db, id));
        if (!task || !isAsExpected(task, expected)) return undefined;
        const row = toTaskRow({ ...task, ...patch });
        await db.updateTable('tasks').set(row).where('id', '=', id).execute();
        await append(events);
        return read(row);
      }),
    beat: async (id, owner, at) => {
      const beat = await session.read(db => findBeat(db, id, owner));
      if (!beat || isFresh(beat.heartbeatAt, at)) return beat && { cancelRequested: beat.cancelRequested };
      return session.change(({ db }) => writeBeat(db, id, owner, at));
    },
    remove: id =>
      session.change(async ({ db }) => {
        const removed = await db.deleteFrom('tasks').where('id', '=', id).executeTakeFirst();
        return removed.numDeletedRows > 0n;
      }),
  };
}

const findRow = (db: Kysely<Schema>, id: string): Promise<TaskRow | undefined> =>
  db.selectFrom('tasks').selectAll().where('id', '=', id).executeTakeFirst();

type Filter = NonNullable<Parameters<TaskTable['list']>[0]>;

async function listRows(db: Kysely<Schema>, { repositoryId, statuses, newest }: Filter): Promise<TaskRow[]> {
  let wanted = db.selectFrom('tasks').selectAll();
  if (repositoryId !== undefined) wanted = wanted.where('repository_id', '=', repositoryId);
  if (statuses !== undefined) wanted = wanted.where('status', 'in', statuses);
  if (newest === undefined) return wanted.orderBy('created_at').orderBy('id').execute();
  const latest = wanted.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(newest);
  return (await latest.execute()).toReversed();
}

function keepReadable(rows: readonly TaskRow[], read: (row: TaskRow) => TaskRecord): TaskRecord[] {
  return rows.flatMap(row => {
    try {
      return [read(row)];
    } catch (error) {
      if (isCarrelError(error, 'STORE_CORRUPT')) return [];
      throw error;
    }
  });
}

/** As many as a message may name. */
const MOST_IDS = 10;

/** Not by `like`, for which "_" stands for any character. The first comparison is for the index. */
async function listIds(db: Kysely<Schema>, prefix: string): Promise<string[]> {
  const rows = await db
    .selectFrom('tasks')
    .select('id')
    .where('id', '>=', prefix)
    .where(sql<boolean>`substr(id, 1, length(${prefix})) = ${prefix}`)
    .orderBy('id')
    .limit(MOST_IDS)
    .execute();
  return rows.map(({ id }) => id);
}

function isAsExpected(task: TaskRecord, { statuses, owner }: ExpectedTask): boolean {
  if (!statuses.includes(task.status)) return false;
  if (owner === undefined) return true;
  if (owner === null || task.owner === null) return owner === task.owner;
  return isSameProcess(owner, task.owner);
}

interface Beat {
  readonly cancelRequested: boolean;
  readonly heartbeatAt: string | null;
}

async function findBeat(
  db: Kysely<Schema>,
  id: string,
  owner: NonNullable<TaskRecord['owner']>,
): Promise<Beat | undefined> {
  const row = await db
    .selectFrom('tasks')
    .select(['owner_pid', 'owner_started_at', 'owner_realm', 'heartbeat_at', 'cancel_requested_at'])
    .where('id', '=', id)
    .executeTakeFirst();
  const found = row && ownerOf(row);
  if (!found || !isSameProcess(found, owner)) return undefined;
  return { cancelRequested: row.cancel_requested_at !== null, heartbeatAt: row.heartbeat_at };
}

/**
 * A beat within this time of the one before is not written: every write is flushed to the disk, and whoever asks by the
 * heartbeat waits much longer than that.
 */
const SHORTEST_BEAT_MS = 5000;

/** A clock that was set back makes it stale, or a heartbeat from the future would stand until then. */
function isFresh(heartbeatAt: string | null, at: string): boolean {
  const age = heartbeatAt === null ? Number.NaN : Date.parse(at) - Date.parse(heartbeatAt);
  return age >= 0 && age < SHORTEST_BEAT_MS;
}

async function writeBeat(
  db: Kysely<Schema>,
  id: string,
  owner: NonNullable<TaskRecord['owner']>,
  at: string,
): Promise<{ readonly cancelRequested: boolean } | undefined> {
  const beat = await findBeat(db, id, owner);
  if (!beat) return undefined;
  await db.updateTable('tasks').set({ heartbeat_at: at }).where('id', '=', id).execute();
  return { cancelRequested: beat.cancelRequested };
}
