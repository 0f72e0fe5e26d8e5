import type { TaskRecord } from '../../../domain/task/task.js';
import { findTask } from '../../../task/record/find-task.js';
import { requireChangeable } from '../repositories/require-changeable.js';
import type { ServerContext } from '../server-context.js';

/** The task that a request changes. TASK_NOT_FOUND, REPOSITORY_NOT_ALLOWED. */
export async function requireChangeableTask(server: ServerContext, id: string): Promise<TaskRecord> {
  const task = await findTask(server.app, id);
  await requireChangeable(server, task);
  return task;
}
