import { carrelError } from '../domain/error.js';
import type { TaskRecord } from '../domain/task.js';
import { isActive } from '../domain/task-state.js';

export interface EndedOptions {
  /** For the process that executes the task: what is asked for is the last part of that. */
  readonly isLastPart?: boolean | undefined;
}

/** TASK_BUSY while somebody works on it, or would go on with it. */
export function requireEnded(
  task: TaskRecord,
  wanted: string,
  { isLastPart = false }: EndedOptions = {},
): TaskRecord {
  const { id, status } = task;
  if (isLastPart && status === 'validating') return task;
  if (isActive(status) || status === 'interrupted') throw carrelError('TASK_BUSY', { id, status, wanted });
  return task;
}
