import { setTimeout as delay } from 'node:timers/promises';
import { measureUsage, type Run, readFree } from './disk-usage.js';
import type { DiskWatch } from './disk-watch.js';

/** Measurements of the machine. */
export interface GrowthMeans {
  /** Free bytes on the fullest file system of the directories. */
  readonly free: () => number;
  /** Bytes in the directories; undefined when the signal was aborted first. */
  readonly used: (signal: AbortSignal) => Promise<number | undefined>;
}

/** A check is one system call per file system. */
const LOOK_MS = 250;

/**
 * Calls `onExceeded` once when a command has taken more than `share` of the space that was free when it started. The
 * directories are measured only when enough space is gone: twice, to know whether this command wrote it.
 */
export function watchGrowth(
  run: Run,
  directories: readonly string[],
  share: number,
  onExceeded: () => void,
  means: GrowthMeans = {
    free: () => readFree(directories),
    used: signal => measureUsage(run, directories, signal),
  },
): DiskWatch {
  const over = new AbortController();
  const failures: unknown[] = [];
  const watching = watch(means, share, over.signal)
    .then(isExceeded => {
      if (isExceeded) onExceeded();
    })
    .catch(error => failures.push(error));
  return {
    stop: async () => {
      over.abort();
      await watching;
      if (failures.length > 0) throw failures[0];
    },
  };
}

async function watch({ free, used }: GrowthMeans, share: number, signal: AbortSignal): Promise<boolean> {
  let start = free();
  let middle: { readonly free: number; readonly used: number } | undefined;
  while (!signal.aborted) {
    await delay(LOOK_MS, undefined, { signal }).catch(() => undefined);
    const now = free();
    const room = start * share;
    if (start - now > room / 2 && !middle) {
      const bytes = await used(signal);
      if (bytes !== undefined) middle = { free: now, used: bytes };
    } else if (start - now > room && middle) {
      const bytes = await used(signal);
      if (bytes === undefined) return false;
      if (bytes - middle.used > (middle.free - now) / 2) return true;
      // Another program fills the disk: the share is now computed from what is left.
      start = now;
      middle = undefined;
    }
  }
  return false;
}
