import { formatDuration } from '../domain/quantity.js';
import { moreTime } from './attempt-time.js';
import type { Ending } from './execution.js';
import { failed } from './execution.js';

/** The time of a whole task: of agents, checks, pauses and validation alike. */
export interface Deadline {
  /** Aborted when the time is over. */
  readonly signal: AbortSignal;
  /** Milliseconds since 1970; undefined for no limit. */
  readonly at: number | undefined;
  /** What was ended by this, not by a person, ran into a limit. */
  explain(ending: Ending, taskId: string, isCancelled: boolean): Ending;
  stop(): void;
}

/** A timer takes no more; nobody waits for a task that long. */
const LONGEST_MS = 2 ** 31 - 1;

export function startDeadline(timeoutMs: number | null, now: number): Deadline {
  const controller = new AbortController();
  const timer =
    timeoutMs === null ? undefined : setTimeout(() => controller.abort(), Math.min(timeoutMs, LONGEST_MS));
  return {
    signal: controller.signal,
    at: timeoutMs === null ? undefined : now + timeoutMs,
    explain: (ending, taskId, isCancelled) =>
      ending.kind !== 'cancelled' || isCancelled || !controller.signal.aborted
        ? ending
        : failed({
            kind: 'limit',
            stage: null,
            message: `the task did not end within ${formatDuration(timeoutMs ?? 0)}`,
            hint: moreTime(taskId, timeoutMs ?? 0),
            output: null,
          }),
    stop: () => clearTimeout(timer),
  };
}
