import { carrelError } from '../../domain/error/error.js';
import type { TaskRecord } from '../../domain/task/task.js';
import type { Context } from '../../operations/context.js';

/** Finds a task by its id or a prefix of it, with or without `task_`. */
export async function findTask(context: Pick<Context, 'store'>, id: string): Promise<TaskRecord> {
  const { tasks } = context.store;
  const matches = await findMatches(context, id);
  if (matches.length > 1) throw carrelError('TASK_AMBIGUOUS', { id, matches });
  const task = matches[0] === undefined ? undefined : await tasks.find(matches[0]);
  if (task) return task;
  const latest = await tasks.list({ newest: MOST_KNOWN });
  throw carrelError('TASK_NOT_FOUND', { id, known: latest.map(known => known.id).toReversed() });
}

/** Maximum number of tasks named in a message. */
const MOST_KNOWN = 5;

const PREFIX = 'task_';
/** A shorter prefix is treated as a mistake: an empty variable must not match the only task. */
const SHORTEST = 4;

async function findMatches(context: Pick<Context, 'store'>, id: string): Promise<string[]> {
  const rest = id.startsWith(PREFIX) ? id.slice(PREFIX.length) : id;
  if (rest.length < SHORTEST) return [];
  return context.store.tasks.findIds(PREFIX + rest);
}
