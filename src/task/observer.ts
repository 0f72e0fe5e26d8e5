import type { LogLine } from '../domain/log-line.js';
import type { Task } from '../domain/task.js';

/** Whoever looks on while a task is executed. Called in order; nothing waits for it, and what it throws is only told. */
export interface TaskObserver {
  /** After every change of the task, with the task as it is now. */
  readonly onChange?: ((task: Task) => void) | undefined;
  /** Every line that is printed or told. */
  readonly onLine?: ((line: LogLine) => void) | undefined;
  /** What the agent of a stage says that it does, for a live view. */
  readonly onActivity?: ((stage: string, activity: string) => void) | undefined;
}

/** The same observer, whose mistakes don't become the task's: the first one is told, and the task goes on. */
export function safely(observer: TaskObserver, narrate: (line: string) => void): TaskObserver {
  let isTold = false;
  const guard =
    <Words extends unknown[]>(call: ((...words: Words) => void) | undefined) =>
    (...words: Words): void => {
      try {
        call?.apply(observer, words);
      } catch (error) {
        if (!isTold) narrate(`warning: an observer of the task threw: ${String(error)}`);
        isTold = true;
      }
    };
  return {
    onChange: guard(observer.onChange),
    onLine: guard(observer.onLine),
    onActivity: guard(observer.onActivity),
  };
}
