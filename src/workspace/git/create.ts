import { readdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { allInOrder } from '../../domain/all-in-order.js';
import { carrelError, isCarrelError } from '../../domain/error/error.js';
import type { Snapshot } from '../../domain/snapshot/snapshot.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import type { Git } from '../../git/git.js';
import { requireNotCheckedOut } from '../../git/refs/free-branch.js';
import { listRefs, type RefChange, readRef, updateRefs } from '../../git/refs/refs.js';
import {
  isOwnDirectory,
  isRegistered,
  registerWorktree,
  unregisterWorktree,
} from '../../git/repository/linked-worktree.js';
import { listWorktrees } from '../../git/repository/locate-git-repository.js';
import { restoreWorkTree } from '../../git/snapshot/restore/restore-work-tree.js';
import { readSnapshotMeta } from '../../git/snapshot/snapshot-meta.js';
import type { CreateHooks, CreateResult } from '../backend.js';
import { moveAside, removeAside } from '../location/aside.js';
import { markForeign } from '../location/foreign-mark.js';
import { populate } from './population/populate.js';
import {
  basePin,
  branchRef,
  hasRepository,
  requireCommonDir,
  startPin,
  worktreeGitDir,
  worktreeOf,
} from './worktree-place.js';

/** Where the new worktree starts. */
interface Start {
  /** What HEAD says: `ref: refs/heads/x`, or a commit. */
  readonly head: string;
  /** Where the workspace's own branch is created. */
  readonly tip: string;
  readonly warnings: readonly string[];
}

/** What restoring a snapshot needs. */
interface RestoreTools {
  readonly git: Git;
  readonly temporaryRoot: string;
  readonly keptDir: string;
}

export async function createWorktree(
  tools: RestoreTools,
  record: WorkspaceRecord,
  hooks: CreateHooks,
): Promise<CreateResult> {
  const { git } = tools;
  const start = hooks.from ? await findRestoredStart(git, record, hooks.from) : plainStart(record);
  await hooks.exclusively(async () => {
    if (!record.ownsBranch)
      await requireNotCheckedOut(git, requireCommonDir(record), record.branch as string);
    await register(git, record, start, hooks.ready);
  });
  await hooks.onStep('registered');
  const filled = hooks.from
    ? await restore(tools, record, hooks.from, hooks)
    : await (hooks.populate?.() ?? populate(git, record, hooks));
  await hooks.onStep('populated');
  return { ...filled, warnings: [...start.warnings, ...filled.warnings] };
}

/**
 * Undoes what was made, from any step on, even after an interrupted undo: the files are first renamed to a name that
 * shows the owner. The pin is created in one transaction with the branch, so its presence proves that the branch is ours;
 * a branch that has moved since holds new work and is kept.
 */
export async function undoCreateWorktree(git: Git, record: WorkspaceRecord): Promise<void> {
  if (await isOwnDirectory(worktreeOf(record))) {
    await requireRegistered(record);
    await moveAside(record);
  }
  if (await hasRepository(record)) await undoRegister(git, record);
  await removeAside(record);
}

/** Carrel did not unregister these files, so they have not been checked and may hold work. */
async function requireRegistered(record: WorkspaceRecord): Promise<void> {
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

/** Deletes every pin of the workspace, for `updateRefs`. */
export async function listPins(git: Git, record: WorkspaceRecord): Promise<RefChange[]> {
  const refs = await listRefs(git, { gitDir: requireCommonDir(record) }, [dirname(basePin(record))]);
  return refs.map(({ ref, commit }) => ({ ref, from: commit, to: null }));
}

function plainStart(record: WorkspaceRecord): Start {
  return { head: `ref: ${branchRef(record)}`, tip: record.base.commit as string, warnings: [] };
}

/**
 * A restored workspace has the HEAD it had: its own branch, recreated at its old tip; one of the user's branches when
 * that is free and unchanged; detached otherwise.
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
  const branch = record.ownsBranch
    ? [
        { ref: branchRef(record), from: null, to: start.tip },
        { ref: startPin(record), from: null, to: start.tip },
      ]
    : [{ ref: branchRef(record), from: start.tip, to: start.tip }];
  const changes = [...branch, { ref: basePin(record), from: null, to: record.base.commit }];
  // git updates the refs while the files are written. Wait for both before a failure is reported: the undo must not run
  // while something is still being created.
  const refs = updateRefs(git, { gitDir: requireCommonDir(record) }, changes, `carrel: up ${record.name}`);
  await allInOrder([
    refs.catch(error => {
      throw explainRefs(record, error);
    }),
    registerWorktree(worktreeOf(record), start.head, ready),
  ]);
  if (record.sandbox) await markForeign(worktreeGitDir(record).gitDir);
}

/** The branch was free when it was checked; another process has created it since. */
function explainRefs(record: WorkspaceRecord, error: unknown): unknown {
  const isTaken =
    record.ownsBranch && isCarrelError(error, 'REF_MOVED') && error.details.ref === branchRef(record);
  return isTaken ? carrelError('BRANCH_EXISTS', { branch: record.branch ?? '' }, error) : error;
}

async function restore(
  { git, temporaryRoot, keptDir }: RestoreTools,
  record: WorkspaceRecord,
  from: Snapshot,
  { privateGitDir, privateHome }: CreateHooks,
): Promise<CreateResult> {
  const request = { commit: from.commit as string, privateGitDir, privateHome, keptDir, temporaryRoot };
  const { warnings } = await restoreWorkTree(git, worktreeGitDir(record), request);
  return { warnings };
}
