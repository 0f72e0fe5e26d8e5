import type { TaskRecord } from '../../domain/task/task.js';
import type { Context } from '../../operations/context.js';
import { stopTask } from '../record/stop-task.js';
import { stopTaskProcesses } from './stop-task-processes.js';

/**
 * Recovers a task whose process died: kills what it left running, then marks the task `interrupted`,
 * or `cancelled` when that was requested. When several processes do this at once, one gets the updated task, and the
 * others undefined. WORKSPACE_BUSY when a process cannot be killed; the task then stays unchanged.
 */
export async function recoverAbandonedTask(
  context: Context,
  task: TaskRecord,
): Promise<TaskRecord | undefined> {
  await stopTaskProcesses(context, task);
  return stopTask(context, task, task.cancelRequestedAt === null ? 'interrupted' : 'cancelled');
}
