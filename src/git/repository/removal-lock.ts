import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { adminDirOf, findWorktreeLock, type LinkedWorktree } from './linked-worktree.js';

/** Written into git's own lock file while the files are set aside, so that `git worktree prune` leaves the registration. */
const LOCK_REASON = 'carrel: being removed';

type Registered = Pick<LinkedWorktree, 'commonDir' | 'id'>;

/** Atomic: on a full disk a lock without our reason would stay and look like the user's. */
export async function lockForRemoval(worktree: Registered): Promise<void> {
  const draft = draftOf(worktree);
  await writeFile(draft, LOCK_REASON);
  await rename(draft, lockOf(worktree));
}

/** Removes our own lock only. */
export async function unlockAfterRemoval(worktree: Registered): Promise<void> {
  await rm(draftOf(worktree), { force: true });
  if ((await findWorktreeLock(worktree)) === LOCK_REASON) await rm(lockOf(worktree), { force: true });
}

const lockOf = (worktree: Registered): string => join(adminDirOf(worktree), 'locked');
const draftOf = (worktree: Registered): string => `${lockOf(worktree)}.carrel`;
