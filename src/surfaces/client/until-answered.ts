import { pause } from './pause.js';
import { ProblemError, UnreachableError } from './problem-error.js';

/** The longest time that a server needs to restart. */
const PATIENCE_MS = 30_000;
const SHORTEST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 2_000;

/**
 * Repeats a request for a while until there is an answer; then throws the error. The request must be safe to repeat: it
 * changes nothing, has an idempotency key, or is a conflict the second time.
 */
export async function untilAnswered<T>(
  ask: () => Promise<T>,
  { patienceMs = PATIENCE_MS }: { readonly patienceMs?: number | undefined } = {},
): Promise<T> {
  const end = performance.now() + patienceMs;
  for (let pauseMs = SHORTEST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    try {
      return await ask();
    } catch (error) {
      if (!isForNow(error) || performance.now() + pauseMs > end) throw error;
    }
    await pause(pauseMs);
  }
}

/** An answer that is not from a Carrel server has no cause, and will not change. */
function isForNow(error: unknown): boolean {
  if (error instanceof ProblemError) return error.status === 429 || error.code === 'SERVER_STOPPING';
  return error instanceof UnreachableError && error.cause !== undefined;
}
