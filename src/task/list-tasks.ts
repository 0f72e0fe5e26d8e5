import type { Task, TaskStatus } from '../domain/task.js';
import { toTask } from '../domain/task-state.js';
import type { Context } from '../operations/context.js';
import { findRepository, isOf } from '../operations/find.js';

export interface ListTasksInput {
  /** A directory in the repository. */
  readonly repository: string;
  readonly all?: boolean | undefined;
  readonly statuses?: readonly TaskStatus[] | undefined;
}

/** The tasks of the repository around a directory; of all when there is none around or `all` is set. Oldest first. */
export async function listTasks(context: Context, input: ListTasksInput): Promise<Task[]> {
  const repository = input.all ? undefined : await findRepository(context, input.repository);
  const { tasks, workspaces } = context.store;
  const records = await tasks.list({ statuses: input.statuses });
  const wanted = repository ? records.filter(record => isOf(repository, record)) : records;
  const present = new Set((await workspaces.list()).map(workspace => workspace.id));
  return wanted.map(record => ({ ...toTask(record), workspaceKept: present.has(record.workspaceId ?? '') }));
}
