import type { Task, TaskRecord } from '../domain/task.js';
import { toTask } from '../domain/task-state.js';
import type { Context } from '../operations/context.js';
import { findTask } from './find-task.js';

export interface TaskQuery {
  /** Id, or a unique beginning of it. */
  readonly id: string;
}

export async function showTask(context: Context, { id }: TaskQuery): Promise<Task> {
  return describeTask(context, await findTask(context, id));
}

/** The public face of a record. Whether its workspace is still there is looked up: others may have removed it since. */
export async function describeTask(context: Context, record: TaskRecord): Promise<Task> {
  const { workspaceId } = record;
  const workspace = workspaceId === null ? undefined : await context.store.workspaces.find(workspaceId);
  return { ...toTask(record), workspaceKept: workspace !== undefined };
}
