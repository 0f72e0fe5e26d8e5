import type { FailureKind } from './failure.js';

/** Whether another attempt may succeed. Every other failure needs a change by the user first. */
const HELPED_BY_RETRY: ReadonlySet<FailureKind> = new Set<FailureKind>([
  'agent-failed',
  'timed-out',
  'rate-limited',
  'checks-failed',
  'outputs-missing',
  'sandbox-failed',
]);

const mayRetryHelp = (kind: FailureKind): boolean => HELPED_BY_RETRY.has(kind);

/** A rate limit ends after minutes, so it is retried regardless of the workflow's retries. */
export const RATE_LIMIT_RETRIES = 5;

const LONGEST_DELAY_MS = 5 * 60_000;
/** A rate limit waits this many times the usual delay. */
const RATE_LIMIT_FACTOR = 4;

/**
 * Whether a failed attempt is followed by another. `failed` counts the failures of the stage in this run so far, this one
 * too: rate limits by themselves, all others together.
 */
export function isRetried(kind: FailureKind, failed: number, retries: number): boolean {
  if (!mayRetryHelp(kind)) return false;
  return failed <= (kind === 'rate-limited' ? Math.max(retries, RATE_LIMIT_RETRIES) : retries);
}

/** Milliseconds before the next attempt: doubled each time, and at least what the model's host requests. */
export function retryDelay(
  kind: FailureKind,
  failed: number,
  baseMs: number,
  askedMs: number | undefined = undefined,
): number {
  const factor = kind === 'rate-limited' ? RATE_LIMIT_FACTOR : 1;
  const own = Math.min(baseMs * factor * 2 ** (failed - 1), LONGEST_DELAY_MS);
  return Math.min(Math.max(own, askedMs ?? 0), LONGEST_DELAY_MS);
}
