import { carrelError, isCarrelError } from '../../../domain/error/error.js';
import type { WorkspaceRecord } from '../../../domain/workspace/workspace.js';
import { listStaged, moveCheckout } from '../../../git/checkout/checkout-update.js';
import { finishCheckoutMove } from '../../../git/checkout/finish-checkout-move.js';
import type { Git, GitPlace } from '../../../git/git.js';
import { countPlainCommits } from '../../../git/history/plain-merge-base.js';
import { isIndexLocked } from '../../../git/index/index-lock.js';
import { readRef, resolveCommit, updateRefs } from '../../../git/refs/refs.js';
import { withoutFiles } from '../../../git/work-tree/submodule-state.js';
import type { WorkTreePlace } from '../../../git/work-tree-place.js';
import type { Landing, LandPlan, LandRequest } from '../../backend.js';
import { requirePresent } from '../../location/presence.js';
import { buildLandCommit } from '../../work/land-commit.js';
import { findPresence } from '../inspect.js';
import { hasRepository, worktreeGitDir } from '../worktree-place.js';
import {
  type CheckTools,
  createChangeList,
  findCheckoutPresence,
  listCheckouts,
  requireReadyCheckouts,
} from './land-checkouts.js';
import { findBranch, findLandTarget, type LandTarget } from './land-target.js';
import { commitAll, requireCommitted } from './uncommitted.js';

export interface LandingDependencies {
  readonly git: Git;
  /** Where to create directories that are deleted after each call. */
  readonly temporaryRoot: string;
}

/**
 * Lands what is checked out in the workspace, on its own branch or not. Creates the objects first, then moves the target
 * ref by compare-and-swap, then updates the checkouts of that branch, which were found clean before.
 */
export function createLanding(options: LandingDependencies): Landing {
  const dependencies = { ...options, listChanges: createChangeList(options.git) };
  return {
    prepare: (record, request) => prepare(dependencies, record, request),
    move: (record, plan, onStep) => move(dependencies, record, plan, onStep),
    finish: (record, plan) => finish(dependencies, record, plan),
    commitAll: async (record, message) => {
      requirePresent(record, await findPresence(record));
      return commitAll(dependencies.git, record, message, dependencies.temporaryRoot);
    },
  };
}

type LandingTools = LandingDependencies & CheckTools;

async function prepare(tools: LandingTools, record: WorkspaceRecord, request: LandRequest) {
  const { git, temporaryRoot } = tools;
  requirePresent(record, await findPresence(record));
  const place = placeOfCommits(record);
  const target = await findLandTarget(git, record, request.into);
  await requireCommitted(git, record, temporaryRoot);
  const before = await requireTip(git, record, target);
  const tip = await resolveCommit(git, place, 'HEAD');
  const names = { name: record.name, into: target.branch };
  // A line of commits on top of the target.
  const { gitDir: store } = sharedPlace(record);
  const line = tip === undefined ? undefined : countPlainCommits(store, before, tip);
  const range = ['rev-list', '--count', `${before}..${tip}`];
  const commits = tip ? (line ?? Number(await git.text(range, place))) : 0;
  if (!tip || commits === 0) throw carrelError('LAND_NOTHING', names);
  const work = { ...names, before, tip, message: request.message, isLine: line !== undefined };
  const after = await buildLandCommit(git, place, request.strategy, work);
  const checkouts = await requireReadyCheckouts(git, record, target, { before, after }, tools);
  return {
    into: target.branch,
    before,
    after,
    commits,
    isFastForward: after === tip,
    checkouts: checkouts.map(checkout => checkout.workTree),
  };
}

/** Merging reads attributes from the work tree, which can name the user's programs; foreign files must not do that. */
function placeOfCommits(record: WorkspaceRecord): GitPlace {
  const { gitDir, workTree, isForeign } = worktreeGitDir(record);
  return isForeign ? withoutFiles(gitDir) : { gitDir, workTree };
}

async function requireTip(git: Git, record: WorkspaceRecord, target: LandTarget): Promise<string> {
  const tip = await readRef(git, sharedPlace(record), target.ref);
  if (tip) return tip;
  throw carrelError('UNKNOWN_BRANCH', { branch: target.branch, repository: record.repository });
}

async function move(
  tools: LandingTools,
  record: WorkspaceRecord,
  plan: LandPlan,
  onStep: (step: 'moved' | 'checked-out') => Promise<void>,
): Promise<void> {
  const { git, temporaryRoot } = tools;
  const target = await requireUnmoved(git, record, plan);
  const ready = () => requireReadyCheckouts(git, record, target, plan, tools);
  // A concurrent landing makes the checkout differ from `before`: that is a moved ref, not a change.
  const checkouts = await ready().catch(async error => {
    await requireUnmoved(git, record, plan);
    throw error;
  });
  const change = { ref: target.ref, from: plan.before, to: plan.after };
  await updateRefs(git, sharedPlace(record), [change], `carrel: land ${record.name}`);
  await onStep('moved');
  try {
    for (const checkout of checkouts)
      await moveCheckout(git, checkout, { from: plan.before, to: plan.after });
  } catch (error) {
    // If the user changed a file in between, `ready` reports it by name.
    if (await undoLanding({ git, temporaryRoot }, record, target, plan, checkouts)) await ready();
    throw error;
  }
  await onStep('checked-out');
}

async function requireUnmoved(git: Git, record: WorkspaceRecord, plan: LandPlan): Promise<LandTarget> {
  const target = await findBranch(git, record, plan.into);
  const found = target && (await readRef(git, sharedPlace(record), target.ref));
  if (target && found === plan.before) return target;
  const ref = target?.ref ?? `refs/heads/${plan.into}`;
  throw carrelError('REF_MOVED', { ref, expected: plan.before, found: found ?? 'nothing' });
}

/** False when the ref has moved further: there are newer commits on top, so everything stays. */
async function undoLanding(
  { git, temporaryRoot }: LandingDependencies,
  record: WorkspaceRecord,
  target: LandTarget,
  plan: LandPlan,
  checkouts: readonly WorkTreePlace[],
): Promise<boolean> {
  const change = { ref: target.ref, from: plan.after, to: plan.before };
  try {
    await updateRefs(git, sharedPlace(record), [change], `carrel: undo land ${record.name}`);
  } catch (error) {
    if (isCarrelError(error, 'REF_MOVED')) return false;
    throw error;
  }
  for (const checkout of checkouts) {
    // The original error is the one to report; a checkout that fails again must not stop the others.
    await finishCheckoutMove(git, checkout, { from: plan.after, to: plan.before }, temporaryRoot).catch(
      () => false,
    );
  }
  return true;
}

/**
 * Finishes where every checkout can still be updated, and undoes where one can't because the user has changed something:
 * a branch must not get ahead of its checkout.
 */
async function finish(
  { git, temporaryRoot }: LandingDependencies,
  record: WorkspaceRecord,
  plan: LandPlan,
): Promise<void> {
  const target = (await hasRepository(record)) && (await findBranch(git, record, plan.into));
  if (!target || (await readRef(git, sharedPlace(record), target.ref)) !== plan.after) return;
  const checkouts: WorkTreePlace[] = [];
  for (const checkout of await listCheckouts(git, record, target)) {
    const isThere = (await findCheckoutPresence(checkout)) === 'there';
    if (isThere && !checkout.isForeign) checkouts.push(checkout);
  }
  const move = { from: plan.before, to: plan.after };
  for (const checkout of checkouts) {
    if (await finishCheckoutMove(git, checkout, move, temporaryRoot)) continue;
    await requireUnlocked(plan, checkout);
    // git writes the index last: while it is the old one, the checkout has not been updated.
    const isBehind = (await listStaged(git, checkout, plan.before)).length === 0;
    if (!isBehind) continue;
    await undoLanding({ git, temporaryRoot }, record, target, plan, checkouts);
    return;
  }
}

/** The lock may belong to git in the landing to be finished, so try again later. */
async function requireUnlocked(plan: LandPlan, checkout: WorkTreePlace): Promise<void> {
  if (!(await isIndexLocked(checkout.gitDir))) return;
  const files = ['(index.lock: another git process is running)'];
  throw carrelError('LAND_CHECKOUT_DIRTY', { into: plan.into, path: checkout.workTree, files });
}

const sharedPlace = (record: WorkspaceRecord) => ({ gitDir: worktreeGitDir(record).commonDir });
