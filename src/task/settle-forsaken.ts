import type { TaskRecord } from '../domain/task.js';
import type { Context } from '../operations/context.js';
import { endLeftProcesses } from './end-left-processes.js';
import { stopTask } from './stop-task.js';

/**
 * Takes a task out of the hands of a process that died: what it left running is ended, then the task is `interrupted`,
 * or `cancelled` when that was asked for. Of several that do this at once one is given the task as it is then, and the
 * others undefined. WORKSPACE_BUSY when something does not end; the task then stays as it is.
 */
export async function settleForsaken(context: Context, task: TaskRecord): Promise<TaskRecord | undefined> {
  await endLeftProcesses(context, task);
  return stopTask(context, task, task.cancelRequestedAt === null ? 'interrupted' : 'cancelled');
}
