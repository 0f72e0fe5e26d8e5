import { rmdir } from 'node:fs/promises';
import { isCarrelError } from '../../domain/error/error.js';
import type { AcceptedRisks } from '../../domain/workspace/risk.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import type { Git } from '../../git/git.js';
import { readRef, updateRefs } from '../../git/refs/refs.js';
import { isCheckedOutBeside } from '../../git/repository/branch-holder.js';
import { isRegistered, unregisterWorktree } from '../../git/repository/linked-worktree.js';
import { lockForRemoval, unlockAfterRemoval } from '../../git/repository/removal-lock.js';
import type { BranchOutcome, CleanWorkspace, Removal } from '../backend.js';
import { asideOf, isAside, moveAside, moveBack, remainsOf, removeAside } from '../location/aside.js';
import { requireOurs } from '../location/presence.js';
import { isHeldOrLanded } from '../work/landed-work.js';
import { listPins } from './create.js';
import { findPresence } from './inspect.js';
import {
  branchRef,
  hasRepository,
  requireCommonDir,
  startPin,
  worktreeGitDir,
  worktreeOf,
} from './worktree-place.js';

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
    destroy: removeAside,
  };
}

async function setAside(record: WorkspaceRecord): Promise<void> {
  if (await isAside(record)) return;
  const presence = await findPresence(record);
  requireOurs(record, presence);
  if (presence.kind === 'missing') return removeEmptied(record);
  await lockForRemoval(worktreeOf(record));
  await moveAside(record);
}

/** What a cache cleaner left behind; usually nothing. */
const removeEmptied = ({ path }: WorkspaceRecord): Promise<void> => rmdir(path).catch(() => undefined);

async function putBack(record: WorkspaceRecord): Promise<void> {
  await moveBack(record);
  await unlockAfterRemoval(worktreeOf(record));
}

/**
 * Deletes the branch and the pins in one transaction if they are as they were when the workspace was found clean.
 * Undefined when one has moved since, or when another worktree has the branch checked out: then everything is rechecked.
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
 * The branch is deleted when Carrel created it, no other worktree has it checked out, and its commits are landed or
 * discarded (a snapshot `held` has them). The deletion is a compare-and-swap on the tip that was checked.
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
  // The pin is deleted in one transaction with our branch: without a pin, a branch of that name is not ours.
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

const isCheckedOutElsewhere = (git: Git, record: WorkspaceRecord): Promise<boolean> =>
  isCheckedOutBeside(git, requireCommonDir(record), branchRef(record), worktreeGitDir(record).gitDir);
