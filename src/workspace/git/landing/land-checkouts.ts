import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { carrelError } from '../../../domain/error/error.js';
import type { WorkspaceRecord } from '../../../domain/workspace/workspace.js';
import { type CheckoutMove, checkoutState, findBlockers } from '../../../git/checkout/checkout-update.js';
import { listTreeChanges, type TreeChange } from '../../../git/diff/tree-changes.js';
import type { Git } from '../../../git/git.js';
import { listBranchHolders } from '../../../git/repository/branch-holder.js';
import type { WorkTreePlace } from '../../../git/work-tree-place.js';
import { isMarkedForeign } from '../../location/foreign-mark.js';
import { worktreeGitDir } from '../worktree-place.js';
import type { LandTarget } from './land-target.js';

/** Where a branch is checked out, or will be after the operation in progress; main and linked work trees. */
export async function listCheckouts(
  git: Git,
  record: WorkspaceRecord,
  target: LandTarget,
): Promise<WorkTreePlace[]> {
  const { commonDir } = worktreeGitDir(record);
  const holders = await listBranchHolders(git, commonDir, target.ref);
  return Promise.all(
    holders.map(async ({ worktree, gitDir, isMain }) => ({
      commonDir,
      gitDir,
      // Its path as git lists it is wrong for a submodule and for a git directory kept elsewhere; the record's is right.
      workTree: isMain ? record.repository : worktree.path,
      isForeign: await isMarkedForeign(gitDir),
    })),
  );
}

export interface RefMove {
  readonly before: string;
  readonly after: string;
}

export interface CheckTools {
  readonly temporaryRoot: string;
  readonly listChanges: (checkout: WorkTreePlace, move: CheckoutMove) => Promise<readonly TreeChange[]>;
}

/** Lists what a move changes. A landing checks twice, so the last list is kept: two commits have the same one forever. */
export function createChangeList(git: Git): CheckTools['listChanges'] {
  let last: { readonly key: string; readonly changes: readonly TreeChange[] } | undefined;
  return async (checkout, { from, to }) => {
    const key = [checkout.commonDir, from, to].join('\n');
    if (last?.key !== key) last = { key, changes: await listTreeChanges(git, checkout, from, to) };
    return last.changes;
  };
}

/** The checkouts of the target, all ready to be updated; LAND_CHECKOUT_DIRTY otherwise. */
export async function requireReadyCheckouts(
  git: Git,
  record: WorkspaceRecord,
  target: LandTarget,
  { before, after }: RefMove,
  { temporaryRoot, listChanges }: CheckTools,
): Promise<WorkTreePlace[]> {
  const ready: WorkTreePlace[] = [];
  for (const checkout of await listCheckouts(git, record, target)) {
    const presence = await findCheckoutPresence(checkout);
    // git treats a missing directory as deleted, except when its worktree is locked, as on an unplugged drive.
    if (presence === 'gone') continue;
    const state = await findObstacleInCheckout(git, checkout, presence, before);
    const move = { from: before, to: after };
    const files =
      state.dirty.length > 0
        ? state.dirty
        : await findBlockers(git, checkout, move, temporaryRoot, await listChanges(checkout, move));
    if (files.length > 0)
      throw carrelError('LAND_CHECKOUT_DIRTY', { into: target.branch, path: checkout.workTree, files });
    ready.push(checkout);
  }
  return ready;
}

/** git never reads files written in a sandbox, so it can't update them. */
async function findObstacleInCheckout(
  git: Git,
  checkout: WorkTreePlace,
  presence: 'there' | 'away',
  before: string,
): Promise<{ readonly dirty: readonly string[] }> {
  if (presence === 'away') return { dirty: ['(its directory is missing)'] };
  if (checkout.isForeign) return { dirty: ['(it is a sandboxed workspace)'] };
  return checkoutState(git, checkout, before);
}

export async function findCheckoutPresence(checkout: WorkTreePlace): Promise<'there' | 'gone' | 'away'> {
  const exists = (path: string) =>
    lstat(path).then(
      () => true,
      () => false,
    );
  if (await exists(checkout.workTree)) return 'there';
  return (await exists(join(checkout.gitDir, 'locked'))) ? 'away' : 'gone';
}
