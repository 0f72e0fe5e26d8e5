import { carrelError } from '../../domain/error/error.js';
import type { TaskRecord } from '../../domain/task/task.js';
import { isUnfinished } from '../../domain/task/task-state.js';

export interface EndedOptions {
  /** For the process that executes the task: the request is its last step. */
  readonly isLastPart?: boolean | undefined;
}

/** TASK_BUSY while a process works on it, or would resume it. */
export function requireEnded(
  task: TaskRecord,
  wanted: string,
  { isLastPart = false }: EndedOptions = {},
): TaskRecord {
  const { id, status } = task;
  if (isLastPart && status === 'validating') return task;
  if (isUnfinished(status) || status === 'interrupted')
    throw carrelError('TASK_BUSY', { id, status, wanted });
  return task;
}
