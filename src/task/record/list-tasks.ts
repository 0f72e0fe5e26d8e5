import type { Task, TaskStatus } from '../../domain/task/task.js';
import { toTask } from '../../domain/task/task-state.js';
import type { Context } from '../../operations/context.js';
import { findRepository, isOf } from '../../operations/workspace/find-workspace.js';

export interface ListTasksInput {
  /** A directory in the repository. */
  readonly repository: string;
  readonly all?: boolean | undefined;
  readonly statuses?: readonly TaskStatus[] | undefined;
  /** Only the newest. */
  readonly limit?: number | undefined;
}

/** The tasks of the repository that contains a directory; of all repositories when there is none or `all` is set. Oldest first. */
export async function listTasks(context: Context, input: ListTasksInput): Promise<Task[]> {
  const repository = input.all ? undefined : await findRepository(context, input.repository);
  const { tasks, workspaces } = context.store;
  const records = await tasks.list({ statuses: input.statuses });
  const wanted = repository ? records.filter(record => isOf(repository, record)) : records;
  const present = new Set((await workspaces.list()).map(workspace => workspace.id));
  const newest = input.limit === undefined ? wanted : wanted.slice(-input.limit);
  return newest.map(record => ({ ...toTask(record), workspaceKept: present.has(record.workspaceId ?? '') }));
}
