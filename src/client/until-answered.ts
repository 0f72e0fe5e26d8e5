import { pause } from './pause.js';
import { ProblemError, UnreachableError } from './problem-error.js';

/** What a server that is started again takes at most. */
const PATIENCE_MS = 30_000;
const SHORTEST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 2_000;

/**
 * Asks again while no answer comes, for a while; then the error is thrown. The question must be one that may be heard
 * twice: one that changes nothing, has an idempotency key, or is a conflict the second time.
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

/** An answer that no server of Carrel gives has no cause, and is the same the next time. */
function isForNow(error: unknown): boolean {
  if (error instanceof ProblemError) return error.status === 429 || error.code === 'SERVER_STOPPING';
  return error instanceof UnreachableError && error.cause !== undefined;
}
