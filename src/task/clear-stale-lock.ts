import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { findProcessesInside } from '../exec/inside.js';
import { waitForIndexLock } from '../git/index-lock.js';
import type { WorkTreePlace } from '../git/work-tree/place.js';

/**
 * A git that was killed in the middle, as with the agent that called it, leaves its lock behind, and every git after it
 * refuses. It goes when nobody is left in the worktree whose lock it could be. Gives warnings.
 */
export async function clearStaleLock({ gitDir, workTree }: WorkTreePlace): Promise<string[]> {
  if (await waitForIndexLock(gitDir)) return [];
  const inside = await Promise.all([workTree, gitDir].map(findProcessesInside));
  if (inside.flat().length > 0) return [];
  await rm(join(gitDir, 'index.lock'), { force: true });
  return ['a lock that a killed git had left on the index was taken away'];
}
