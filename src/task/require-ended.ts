import { carrelError } from '../domain/error.js';
import type { TaskRecord } from '../domain/task.js';
import { isActive } from '../domain/task-state.js';

/** TASK_BUSY while somebody works on it, or would go on with it. */
export function requireEnded(task: TaskRecord, wanted: string): TaskRecord {
  const { id, status } = task;
  if (isActive(status) || status === 'interrupted') throw carrelError('TASK_BUSY', { id, status, wanted });
  return task;
}
