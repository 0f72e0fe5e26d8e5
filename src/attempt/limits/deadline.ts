/** When work must be done. */
export interface Deadline {
  /** Aborted when the time is up. */
  readonly signal: AbortSignal;
  /** Milliseconds since 1970; undefined for no limit. */
  readonly at: number | undefined;
  stop(): void;
}

/** The longest delay of a timer; nothing takes that long. */
const LONGEST_MS = 2 ** 31 - 1;

/** `reason` is what aborted work rejects with. */
export function startDeadline(timeoutMs: number | null, now: number, reason?: Error): Deadline {
  const controller = new AbortController();
  const timer =
    timeoutMs === null
      ? undefined
      : setTimeout(() => controller.abort(reason), Math.min(timeoutMs, LONGEST_MS));
  return {
    signal: controller.signal,
    at: timeoutMs === null ? undefined : now + timeoutMs,
    stop: () => clearTimeout(timer),
  };
}

/** Time limit of a command that must end by then; one without any time left still gets a result. */
export const timeLeft = (deadline: number, now: number): number => Math.max(1, deadline - now);
