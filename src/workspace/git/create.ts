import { readdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { allInOrder } from '../../domain/all-in-order.js';
import { carrelError, isCarrelError } from '../../domain/error.js';
import type { Snapshot } from '../../domain/snapshot.js';
import type { WorkspaceRecord } from '../../domain/workspace.js';
import { restoreWorkTree } from '../../git/capture/restore.js';
import { readSnapshotMeta } from '../../git/capture/snapshot-meta.js';
import type { Git } from '../../git/git.js';
import {
  isOwnDirectory,
  isRegistered,
  registerWorktree,
  unregisterWorktree,
} from '../../git/linked-worktree.js';
import { listWorktrees } from '../../git/locate.js';
import { listRefs, type RefChange, readRef, updateRefs } from '../../git/refs.js';
import { destroyAside, moveAside } from '../aside.js';
import type { CreateHooks, CreateResult } from '../backend.js';
import { markForeign } from './foreign-mark.js';
import {
  basePin,
  branchRef,
  hasRepository,
  requireCommonDir,
  startPin,
  worktreeGitDir,
  worktreeOf,
} from './place.js';
import { populate } from './populate.js';

/** Where the new worktree begins. */
interface Start {
  /** What HEAD says: `ref: refs/heads/x`, or a commit. */
  readonly head: string;
  /** Where the workspace's own branch is made. */
  readonly tip: string;
  readonly warnings: readonly string[];
}

export async function createWorktree(
  git: Git,
  temporaryRoot: string,
  record: WorkspaceRecord,
  hooks: CreateHooks,
): Promise<CreateResult> {
  const start = hooks.from ? await findRestoredStart(git, record, hooks.from) : plainStart(record);
  await hooks.exclusively(() => register(git, record, start, hooks.ready));
  await hooks.onStep('registered');
  const filled = hooks.from
    ? await restore(git, temporaryRoot, record, hooks.from, hooks)
    : await (hooks.populate?.() ?? populate(git, record, hooks));
  await hooks.onStep('populated');
  return { ...filled, warnings: [...start.warnings, ...filled.warnings] };
}

/**
 * Takes back whatever was made, from any point on, also of an earlier attempt to take it back: the files are first
 * renamed to a name that says whose they are. The pin is made in one transaction with the branch, so its presence
 * proves that the branch is ours; a branch that has moved since holds somebody's work and stays.
 */
export async function undoCreateWorktree(git: Git, record: WorkspaceRecord): Promise<void> {
  if (await isOwnDirectory(worktreeOf(record))) {
    await requireJudged(record);
    await moveAside(record);
  }
  if (await hasRepository(record)) await undoRegister(git, record);
  await destroyAside(record);
}

/** Files that git has forgotten, with their repository or alone, were not forgotten by us, and nobody saw what is in them. */
async function requireJudged(record: WorkspaceRecord): Promise<void> {
  const { name, path } = record;
  const isLinkAlone = (await readdir(path)).length <= 1;
  if (isLinkAlone || (await isRegistered(worktreeOf(record)))) return;
  throw carrelError('WORKSPACE_REPLACED', { name, path, found: 'a worktree that git has forgotten' });
}

async function undoRegister(git: Git, record: WorkspaceRecord): Promise<void> {
  await unregisterWorktree(worktreeOf(record));
  const place = { gitDir: requireCommonDir(record) };
  const start = await readRef(git, place, startPin(record));
  const tip = await readRef(git, place, branchRef(record));
  const branch = start && tip === start ? [{ ref: branchRef(record), from: tip, to: null }] : [];
  const changes = [...branch, ...(await listPins(git, record))];
  if (changes.length > 0) await updateRefs(git, place, changes);
}

/** The deletion of every pin of the workspace, for `updateRefs`. */
export async function listPins(git: Git, record: WorkspaceRecord): Promise<RefChange[]> {
  const refs = await listRefs(git, { gitDir: requireCommonDir(record) }, [dirname(basePin(record))]);
  return refs.map(({ ref, commit }) => ({ ref, from: commit, to: null }));
}

function plainStart(record: WorkspaceRecord): Start {
  return { head: `ref: ${branchRef(record)}`, tip: record.base.commit as string, warnings: [] };
}

/**
 * A restored workspace stands where it stood: on its own branch, made again at its old tip; on a branch of the user's
 * when that is free and unchanged; detached otherwise.
 */
async function findRestoredStart(git: Git, record: WorkspaceRecord, from: Snapshot): Promise<Start> {
  const meta = await readSnapshotMeta(git, from.objectStore, from.commit as string);
  const commit = meta.head.commit ?? (record.base.commit as string);
  const tip = meta.branchTip ?? commit;
  if (from.backend === 'direct' || (meta.head.branch !== null && meta.head.branch === from.branch)) {
    return { head: `ref: ${branchRef(record)}`, tip: commit, warnings: [] };
  }
  if (meta.head.branch === null) return { head: commit, tip, warnings: [] };
  const place = { gitDir: requireCommonDir(record) };
  const ref = `refs/heads/${meta.head.branch}`;
  // A branch without a commit yet has no ref.
  const isFree =
    (await readRef(git, place, ref)) === (meta.head.commit ?? undefined) &&
    !(await listWorktrees(git, place.gitDir)).some(worktree => worktree.branch === ref);
  if (isFree) return { head: `ref: ${ref}`, tip, warnings: [] };
  const warning = `${meta.head.branch} was checked out and has moved or is in use; HEAD is detached at the same commit`;
  return { head: commit, tip, warnings: [warning] };
}

async function register(
  git: Git,
  record: WorkspaceRecord,
  start: Start,
  ready: CreateHooks['ready'],
): Promise<void> {
  const changes = [
    { ref: branchRef(record), from: null, to: start.tip },
    { ref: startPin(record), from: null, to: start.tip },
    { ref: basePin(record), from: null, to: record.base.commit },
  ];
  // git works on the refs while the files are written. Both are over before a failure is told: taking back what was made
  // must not meet what is still being made.
  const refs = updateRefs(git, { gitDir: requireCommonDir(record) }, changes, `carrel: up ${record.name}`);
  await allInOrder([
    refs.catch(error => {
      throw explainRefs(record, error);
    }),
    registerWorktree(worktreeOf(record), start.head, ready),
  ]);
  if (record.sandbox) await markForeign(worktreeGitDir(record).gitDir);
}

/** The branch was free when it was looked for; somebody has made it since. */
function explainRefs(record: WorkspaceRecord, error: unknown): unknown {
  const isTaken = isCarrelError(error, 'REF_MOVED') && error.details.ref === branchRef(record);
  return isTaken ? carrelError('BRANCH_EXISTS', { branch: record.branch ?? '' }, error) : error;
}

async function restore(
  git: Git,
  temporaryRoot: string,
  record: WorkspaceRecord,
  from: Snapshot,
  { privateGitDir, privateHome }: CreateHooks,
): Promise<CreateResult> {
  const request = { commit: from.commit as string, privateGitDir, privateHome, temporaryRoot };
  const { warnings } = await restoreWorkTree(git, worktreeGitDir(record), request);
  return { warnings };
}
