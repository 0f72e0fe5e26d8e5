import type { Task, TaskRecord } from '../../domain/task/task.js';
import { toTask } from '../../domain/task/task-state.js';
import type { Context } from '../../operations/context.js';
import { findCurrentTask } from './current-task.js';

export interface TaskQuery {
  /** Id, or a unique prefix of it. */
  readonly id: string;
}

export async function showTask(
  context: Pick<Context, 'store' | 'fleetTasks'>,
  { id }: TaskQuery,
): Promise<Task> {
  return describeTask(context, await findCurrentTask(context, id));
}

/** The public form of a record. Checks whether its workspace still exists: it may have been removed since. */
export async function describeTask(context: Pick<Context, 'store'>, record: TaskRecord): Promise<Task> {
  const { workspaceId } = record;
  const workspace = workspaceId === null ? undefined : await context.store.workspaces.find(workspaceId);
  return { ...toTask(record), workspaceKept: workspace !== undefined };
}
