import type { LogLine } from './log-line.js';
import type { Task } from './task.js';

/** Watches the execution of a task. Called in order; nothing waits for it, and its errors are only reported. */
export interface TaskObserver {
  /** After every change of the task, with the task as it is now. */
  readonly onChange?: ((task: Task) => void) | undefined;
  /** Every line of output and messages. */
  readonly onLine?: ((line: LogLine) => void) | undefined;
  /** The activity that an agent reports, for a live view. */
  readonly onActivity?: ((stage: string, activity: string) => void) | undefined;
}
