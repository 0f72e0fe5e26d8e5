import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import { isSameProcess } from '../../domain/process-identity.js';
import type { TaskRecord } from '../../domain/task/task.js';
import { sortRows } from '../rows/row-shape.js';
import type { Schema, TaskRow } from '../rows/table-schema.js';
import { fromTaskRow, ownerOf, toTaskRow } from '../rows/task-row.js';
import type { ExpectedTask, TaskTable } from '../store.js';
import type { Session } from '../store-session.js';
import { refuseReserved, reservedPlaceOf } from './reserved-places.js';
import { refuseTaken } from './stored-workspaces.js';

export function createTaskTable(session: Session): TaskTable {
  const { location } = session;
  const read = (row: TaskRow | undefined) => row && fromTaskRow(row, location);
  return {
    insert: (task, events) =>
      session.change(async ({ db, append }) => {
        await refuseTakenPlace(db, task);
        await db
          .insertInto('tasks')
          .values(toTaskRow({ ...task, ...withoutSecrets(session, task) }))
          .execute();
        await append(events);
      }),
    find: id => session.read(async db => read(await findRow(db, id))),
    list: (filter = {}) =>
      session.read(async db => sortRows(await listRows(db, filter), row => fromTaskRow(row, location)).sound),
    findIds: prefix => session.read(db => listIds(db, prefix)),
    update: (id, expected, patch, events) =>
      session.change(async ({ db, append }) => {
        const task = read(await findRow(db, id));
        if (!task || !isAsExpected(task, expected)) return undefined;
        if (patch.worktreePath) await refuseTakenPlace(db, { ...task, ...patch });
        const row = toTaskRow({ ...task, ...patch, ...withoutSecrets(session, patch) });
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

/** WORKSPACE_EXISTS when the workspace that the task will create can't have its name or path. */
async function refuseTakenPlace(db: Kysely<Schema>, task: TaskRecord): Promise<void> {
  const place = reservedPlaceOf(task);
  if (!place) return;
  await refuseTaken(db, place);
  await refuseReserved(db, place, task.id);
}

/**
 * Redacts what agents and programs printed. The plan is not redacted: it contains the variables of agents, which a retry needs,
 * and it is never shown.
 */
function withoutSecrets({ redact }: Session, fields: Partial<TaskRecord>): Partial<TaskRecord> {
  const { stages, validation, failure, warnings } = fields;
  return {
    ...(stages && { stages: redact(stages) }),
    ...(validation && { validation: redact(validation) }),
    ...(failure && { failure: redact(failure) }),
    ...(warnings && { warnings: redact(warnings) }),
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

/** As many as a message may name. */
const MOST_IDS = 10;

/** Not with `like`, for which "_" matches any character. The first comparison uses the index. */
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

function isAsExpected(task: TaskRecord, { statuses, owner, runs }: ExpectedTask): boolean {
  if (!statuses.includes(task.status)) return false;
  if (runs !== undefined && runs !== task.runs.length) return false;
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
 * A heartbeat within this time of the last one is not written: every write is flushed to the disk, and readers of the
 * heartbeat wait much longer than that.
 */
const SHORTEST_BEAT_MS = 5000;

/** After the clock was set back it counts as stale; otherwise a heartbeat from the future would count until then. */
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
