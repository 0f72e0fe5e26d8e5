import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AcceptedRisks } from '../../domain/risk.js';
import type { WorkspaceRecord } from '../../domain/workspace.js';
import type { Git } from '../../git/git.js';
import { adminDirOf, findWorktreeLock, isRegistered, unregisterWorktree } from '../../git/linked-worktree.js';
import { listWorktrees } from '../../git/locate.js';
import { readRef, updateRefs } from '../../git/refs.js';
import { asideOf, destroyAside, isAside, moveAside, moveBack } from '../aside.js';
import type { Removal } from '../backend.js';
import { requireOurs } from '../presence.js';
import { listPins } from './create.js';
import { findPresence } from './inspect.js';
import { findUnlandedWork } from './landed-work.js';
import { branchRef, hasRepository, requireCommonDir, startPin, worktreeOf } from './place.js';

/** Written into git's own lock file while the files are aside, so that `git worktree prune` leaves the registration. */
const LOCK_REASON = 'carrel: being removed';

export function createGitRemoval(git: Git, temporaryRoot: string): Removal {
  return {
    hasRemains: async record => (await isAside(record)) || (await isRegistered(worktreeOf(record))),
    asideOf,
    setAside,
    putBack,
    unregister: (record, accepted, held) => unregister(git, temporaryRoot, record, accepted, held),
    destroy: destroyAside,
  };
}

async function setAside(record: WorkspaceRecord): Promise<void> {
  if (await isAside(record)) return;
  const presence = await findPresence(record);
  requireOurs(record, presence);
  if (presence.kind === 'missing') return;
  await lock(record);
  await moveAside(record);
}

/** Whole or not at all: on a full disk a lock without our reason would stay, and be taken for the user's. */
async function lock(record: WorkspaceRecord): Promise<void> {
  const draft = lockDraftOf(record);
  await writeFile(draft, LOCK_REASON);
  await rename(draft, lockFileOf(record));
}

async function putBack(record: WorkspaceRecord): Promise<void> {
  await moveBack(record);
  await rm(lockDraftOf(record), { force: true });
  if ((await findWorktreeLock(worktreeOf(record))) === LOCK_REASON)
    await rm(lockFileOf(record), { force: true });
}

/**
 * The branch goes when Carrel made it, nobody else has it checked out, and its commits are landed or given up (a
 * snapshot `held` has them). It goes by compare-and-swap on the tip that was judged.
 */
async function unregister(
  git: Git,
  temporaryRoot: string,
  record: WorkspaceRecord,
  accepted: AcceptedRisks,
  held: string | null,
) {
  if (!(await hasRepository(record))) return { deletedBranch: null, keptBranch: null };
  const place = { gitDir: requireCommonDir(record) };
  const ref = branchRef(record);
  const pins = await listPins(git, record);
  // The pin goes in one transaction with our branch: without it, what has that name now is somebody else's.
  const isOurs = record.ownsBranch && pins.some(pin => pin.ref === startPin(record));
  const tip = isOurs ? await readRef(git, place, ref) : undefined;
  const mayGo =
    tip !== undefined &&
    (await mayDeleteBranch(git, temporaryRoot, record, tip, accepted.discardCommits ? held : null));
  const changes = [...(mayGo ? [{ ref, from: tip, to: null }] : []), ...pins];
  if (changes.length > 0) await updateRefs(git, place, changes);
  await unregisterWorktree(worktreeOf(record));
  return { deletedBranch: mayGo ? record.branch : null, keptBranch: tip && !mayGo ? record.branch : null };
}

async function mayDeleteBranch(
  git: Git,
  temporaryRoot: string,
  record: WorkspaceRecord,
  tip: string,
  held: string | null,
): Promise<boolean> {
  const own = worktreeOf(record).path;
  const gitDir = requireCommonDir(record);
  const worktrees = await listWorktrees(git, gitDir);
  if (worktrees.some(worktree => worktree.branch === branchRef(record) && worktree.path !== own))
    return false;
  // The branch may have gone on since the snapshot was taken, when a crash lies between.
  if (held && (await git.succeeds(['merge-base', '--is-ancestor', tip, held], { gitDir }))) return true;
  return (await findUnlandedWork(git, temporaryRoot, record, tip)).landed;
}

const lockFileOf = (record: WorkspaceRecord): string => join(adminDirOf(worktreeOf(record)), 'locked');
const lockDraftOf = (record: WorkspaceRecord): string => `${lockFileOf(record)}.carrel`;
