import type { LogLine } from '../domain/task/log-line.js';
import type { Task } from '../domain/task/task.js';

/** Watches the execution of a task. Called in order; nothing waits for it, and its errors are only reported. */
export interface TaskObserver {
  /** After every change of the task, with the task as it is now. */
  readonly onChange?: ((task: Task) => void) | undefined;
  /** Every line of output and messages. */
  readonly onLine?: ((line: LogLine) => void) | undefined;
  /** The activity that an agent reports, for a live view. */
  readonly onActivity?: ((stage: string, activity: string) => void) | undefined;
}

/** Wraps an observer so that its errors do not affect the task: the first one is reported, and the task continues. */
export function safely(observer: TaskObserver, narrate: (line: string) => void): TaskObserver {
  let isReported = false;
  const guard =
    <Words extends unknown[]>(call: ((...words: Words) => void) | undefined) =>
    (...words: Words): void => {
      try {
        call?.apply(observer, words);
      } catch (error) {
        if (!isReported) narrate(`warning: an observer of the task threw: ${String(error)}`);
        isReported = true;
      }
    };
  return {
    onChange: guard(observer.onChange),
    onLine: guard(observer.onLine),
    onActivity: guard(observer.onActivity),
  };
}
