import type { Policy } from '../policy.js';
import type { Run } from './disk-usage.js';
import { type DiskWatch, watchDisk } from './disk-watch.js';
import { watchGrowth } from './growth-watch.js';

/** Watches what a command writes: against the limit of its policy, else against the default share of the free space. */
export function watchDiskOf(
  run: Run,
  { limits, usual }: Policy,
  written: readonly string[],
  onExceeded: () => void,
): DiskWatch | undefined {
  if (limits.disk !== undefined) return watchDisk(run, written, limits.disk, onExceeded);
  return usual && watchGrowth(run, written, usual.diskShare, onExceeded);
}
