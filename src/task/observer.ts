import type { LogLine } from '../domain/log-line.js';
import type { Task } from '../domain/task.js';

/** Whoever looks on while a task is executed. Called in order; nothing waits for it, and it must not throw. */
export interface TaskObserver {
  /** After every change of the task, with the task as it is now. */
  readonly onChange?: ((task: Task) => void) | undefined;
  /** Every line that is printed or told. */
  readonly onLine?: ((line: LogLine) => void) | undefined;
  /** What the agent of a stage says that it does, for a live view. */
  readonly onActivity?: ((stage: string, activity: string) => void) | undefined;
}
