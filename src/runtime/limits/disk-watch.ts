import { setTimeout as delay } from 'node:timers/promises';
import { measureUsage, type Run, readFill } from './disk-usage.js';

export interface DiskWatch {
  /** Stops watching; idempotent. Throws the error that prevented measuring. */
  stop(): Promise<void>;
}

/**
 * Measures the directories repeatedly while a command runs, and calls `onExceeded` once when they contain more than
 * `limit` bytes: an ordinary user can't set a quota. It is also called when they can't be measured, because then
 * nothing enforces the limit.
 */
export function watchDisk(
  run: Run,
  directories: readonly string[],
  limit: number,
  onExceeded: () => void,
): DiskWatch {
  const over = new AbortController();
  const failures: unknown[] = [];
  const watching = watch(run, directories, limit, over.signal)
    .catch(error => failures.push(error) > 0)
    .then(isExceeded => {
      if (isExceeded) onExceeded();
    });
  return {
    stop: async () => {
      over.abort();
      await watching;
      if (failures.length > 0) throw failures[0];
    },
  };
}

/** Most commands have exited before that and need not be measured. */
const FIRST_MS = 200;
/** Measured after this many milliseconds, or after this multiple of the measuring time, if that is later... */
const REST_MS = 2000;
const REST_TIMES = 10;
/**
 * ...but immediately when so much was written on the same file systems that the limit may be reached; checked this
 * often.
 */
const LOOK_MS = 50;

async function watch(
  run: Run,
  directories: readonly string[],
  limit: number,
  signal: AbortSignal,
): Promise<boolean> {
  await pause(FIRST_MS, signal);
  while (!signal.aborted) {
    const [bytes, files] = readFill(directories);
    const startedAt = performance.now();
    const used = await measureUsage(run, directories, signal);
    if (used === undefined) return false;
    if (used > limit) return true;
    const room = limit - used;
    const restMs = Math.max(REST_MS, (performance.now() - startedAt) * REST_TIMES);
    await waitUntil(restMs, signal, () => {
      const [bytesNow, filesNow] = readFill(directories);
      return bytesNow - bytes > room || filesNow - files > room;
    });
  }
  return false;
}

async function waitUntil(limitMs: number, signal: AbortSignal, isReached: () => boolean): Promise<void> {
  const deadline = performance.now() + limitMs;
  while (performance.now() < deadline && !signal.aborted && !isReached()) {
    await pause(LOOK_MS, signal);
  }
}

const pause = (ms: number, signal: AbortSignal): Promise<unknown> =>
  delay(ms, undefined, { signal }).catch(() => undefined);
