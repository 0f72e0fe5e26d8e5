import { isCarrelError } from '../../domain/error.js';
import type { AcceptedRisks } from '../../domain/risk.js';
import type { WorkspaceRecord } from '../../domain/workspace.js';
import type { Git } from '../../git/git.js';
import { isRegistered, unregisterWorktree } from '../../git/linked-worktree.js';
import { listWorktrees } from '../../git/locate.js';
import { readRef, updateRefs } from '../../git/refs.js';
import { lockForRemoval, unlockAfterRemoval } from '../../git/removal-lock.js';
import { asideOf, destroyAside, isAside, moveAside, moveBack, remainsOf } from '../aside.js';
import type { BranchOutcome, CleanWorkspace, Removal } from '../backend.js';
import { isHeldOrLanded } from '../landed-work.js';
import { requireOurs } from '../presence.js';
import { listPins } from './create.js';
import { findPresence } from './inspect.js';
import { branchRef, hasRepository, requireCommonDir, startPin, worktreeOf } from './place.js';

export function createGitRemoval(git: Git, temporaryRoot: string): Removal {
  return {
    hasRemains: async record => (await isAside(record)) || (await isRegistered(worktreeOf(record))),
    asideOf,
    setAside,
    putBack,
    unregister: async (record, accepted, held, clean) =>
      (clean && (await unregisterClean(git, record, clean))) ??
      unregister(git, temporaryRoot, record, accepted, held),
    remainsOf,
    destroy: destroyAside,
  };
}

async function setAside(record: WorkspaceRecord): Promise<void> {
  if (await isAside(record)) return;
  const presence = await findPresence(record);
  requireOurs(record, presence);
  if (presence.kind === 'missing') return;
  await lockForRemoval(worktreeOf(record));
  await moveAside(record);
}

async function putBack(record: WorkspaceRecord): Promise<void> {
  await moveBack(record);
  await unlockAfterRemoval(worktreeOf(record));
}

/**
 * The branch and the pins as they were when the workspace was found clean, in one transaction. Undefined when one of
 * them has moved since, or when somebody else has the branch checked out: then all is to be looked at again.
 */
async function unregisterClean(
  git: Git,
  record: WorkspaceRecord,
  { commit, pins }: CleanWorkspace,
): Promise<BranchOutcome | undefined> {
  const gitDir = requireCommonDir(record);
  if (await isCheckedOutElsewhere(git, record)) return undefined;
  try {
    await updateRefs(git, { gitDir }, [{ ref: branchRef(record), from: commit, to: null }, ...pins]);
  } catch (error) {
    if (isCarrelError(error, 'REF_MOVED')) return undefined;
    throw error;
  }
  await unregisterWorktree(worktreeOf(record));
  return { deletedBranch: record.branch, keptBranch: null };
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
    !(await isCheckedOutElsewhere(git, record)) &&
    (await isHeldOrLanded(git, temporaryRoot, record, tip, accepted.discardCommits ? held : null));
  const changes = [...(mayGo ? [{ ref, from: tip, to: null }] : []), ...pins];
  if (changes.length > 0) await updateRefs(git, place, changes);
  await unregisterWorktree(worktreeOf(record));
  return { deletedBranch: mayGo ? record.branch : null, keptBranch: tip && !mayGo ? record.branch : null };
}

async function isCheckedOutElsewhere(git: Git, record: WorkspaceRecord): Promise<boolean> {
  const worktrees = await listWorktrees(git, requireCommonDir(record));
  return worktrees.some(({ branch, path }) => branch === branchRef(record) && path !== record.path);
}
