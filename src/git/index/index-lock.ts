import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** An editor's `git status` holds the lock briefly; after two seconds it belongs to a stuck or killed git. */
const LONGEST_MS = 2000;

/** Waits until no git process locks the index of a worktree; false on timeout. */
export async function waitForIndexLock(gitDir: string): Promise<boolean> {
  for (let waited = 0; await isIndexLocked(gitDir); waited += 50) {
    if (waited >= LONGEST_MS) return false;
    await delay(50);
  }
  return true;
}

export async function isIndexLocked(gitDir: string): Promise<boolean> {
  return lstat(join(gitDir, 'index.lock')).then(
    () => true,
    () => false,
  );
}
