import type { TaskObserver } from '../domain/task/task-observer.js';

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
