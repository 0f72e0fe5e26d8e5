import { lstat, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { allInOrder } from '../../domain/all-in-order.js';
import { CarrelError } from '../../domain/error/error.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import type { Git } from '../../git/git.js';
import { readLooseCommit } from '../../git/objects/loose-objects.js';
import { isPlainTip, listPlainRefs } from '../../git/refs/plain-refs.js';
import { findWorktreeLock } from '../../git/repository/linked-worktree.js';
import { findOperationInProgress } from '../../git/repository/operation-in-progress.js';
import { listAdminFiles } from '../../git/snapshot/admin-files.js';
import { captureClean } from '../../git/snapshot/capture/clean-capture.js';
import { namesIn } from '../../git/snapshot/capture/kept-commits.js';
import { keepState, saveDeferredCheck } from '../../git/snapshot/capture/late-check.js';
import { findCleanFiles } from '../../git/work-tree/clean-files.js';
import type { CleanRemoval, CleanWorkspace } from '../backend.js';
import { remainsOf } from '../location/aside.js';
import { keptPin } from '../snapshot/kept-pins.js';
import { snapshotRef } from '../snapshot/snapshot-ref.js';
import { findPresence } from './inspect.js';
import { branchRef, requireCommonDir, startPin, worktreeGitDir, worktreeOf } from './worktree-place.js';

export function createCleanRemoval(git: Git, keptDir: string): CleanRemoval {
  return {
    inspectIfClean: record =>
      inspectIfClean(git, record).catch(error => {
        // The full check hits the same problem and reports it.
        if (error instanceof CarrelError) return undefined;
        throw error;
      }),
    capture: (record, clean, request) => capture(git, record, clean, { ...request, keptDir }),
  };
}

/** The files first: of a workspace with changes nothing else has to be read. */
async function inspectIfClean(git: Git, record: WorkspaceRecord): Promise<CleanWorkspace | undefined> {
  const base = record.base.commit;
  if (base === null || !(await isQuiet(record))) return undefined;
  const place = worktreeGitDir(record);
  // git would read the files in place, and a private git directory may hold anything.
  if (place.isForeign) return undefined;
  const { included } = record;
  const files = await findCleanFiles(place, { idLength: base.length, included });
  const own = files && (await readOwnRefs(git, record));
  if (!own || files.index.tree !== own.tree || !(await isHeld(git, record, own.commit))) return undefined;
  const { commit, tree, pins } = own;
  if (await knowsOtherCommits(git, record, [commit, base])) return undefined;
  return { commit, tree, files, pins };
}

/** Checked from git's files alone: ours and in place, on its own branch, no operation in progress, no lock. */
async function isQuiet(record: WorkspaceRecord): Promise<boolean> {
  const { gitDir } = worktreeGitDir(record);
  if (!record.ownsBranch || (await findPresence(record)).kind !== 'present') return false;
  const head = await readFile(join(gitDir, 'HEAD'), 'utf8');
  if (head !== `ref: ${branchRef(record)}\n`) return false;
  // Submodules that are no longer checked out may hold commits.
  const modules = await lstat(join(gitDir, 'modules')).catch(() => undefined);
  const operation = await findOperationInProgress(gitDir);
  return !modules && !operation && (await findWorktreeLock(worktreeOf(record))) === undefined;
}

/** The workspace's branch and pins; undefined when the pin that makes the branch ours is not among them. */
async function readOwnRefs(git: Git, record: WorkspaceRecord) {
  const pinned = `refs/carrel/workspaces/${record.id}`;
  const names = [branchRef(record), pinned];
  const rows = readPlainRows(record, names) ?? (await readRows(git, record, names));
  const branch = rows.find(([ref]) => ref === branchRef(record));
  const pins = rows.filter(([ref]) => ref.startsWith(`${pinned}/`));
  if (!branch || !pins.some(([ref]) => ref === startPin(record))) return undefined;
  // The fast snapshot would not hold them.
  if (pins.some(([ref, id]) => ref === keptPin(record.id, id))) return undefined;
  const [, commit, tree] = branch;
  return { commit, tree, pins: pins.map(([ref, from]) => ({ ref, from, to: null })) };
}

/** Name, object and tree; only the branch's tree is needed. */
type RefRow = readonly [string, string, string];

async function readRows(git: Git, record: WorkspaceRecord, names: readonly string[]): Promise<RefRow[]> {
  const format = '--format=%(refname)%00%(objectname)%00%(tree)';
  const text = await git.text(['for-each-ref', format, '--end-of-options', ...names], {
    gitDir: requireCommonDir(record),
  });
  return text.split('\n').map(line => line.split('\0') as [string, string, string]);
}

/** Undefined when the files do not show it: then git has to be asked. */
function readPlainRows(record: WorkspaceRecord, names: readonly string[]): RefRow[] | undefined {
  const store = requireCommonDir(record);
  const rows = listPlainRefs(store, names);
  const branch = rows?.find(({ ref }) => ref === branchRef(record));
  const tree = branch && readLooseCommit(store, branch.id)?.tree;
  return tree === undefined ? undefined : rows?.map(({ ref, id }) => [ref, id, tree]);
}

/** Whether another branch, remote branch or tag leads to the commit. */
async function isHeld(git: Git, record: WorkspaceRecord, commit: string): Promise<boolean> {
  if (isPlainTip(requireCommonDir(record), commit, [branchRef(record)])) return true;
  const others = ['refs/heads', 'refs/remotes', 'refs/tags'].flatMap(glob => [
    // An exclusion applies to the next --glob only.
    `--exclude=${branchRef(record)}`,
    `--glob=${glob}`,
  ]);
  return hasNothingBeyond(git, record, [commit], others);
}

/** Commits that the reflog and the like still name would be kept by the full check. */
async function knowsOtherCommits(
  git: Git,
  record: WorkspaceRecord,
  known: readonly string[],
): Promise<boolean> {
  const names = (await listAdminFiles(worktreeGitDir(record))).flatMap(namesIn);
  const others = [...new Set(names)].filter(name => !known.includes(name));
  return others.length > 0 && !(await hasNothingBeyond(git, record, others, known));
}

/** 128: the name does not exist or is not a commit. */
async function hasNothingBeyond(
  git: Git,
  record: WorkspaceRecord,
  commits: readonly string[],
  known: readonly string[],
): Promise<boolean> {
  const query = ['rev-list', '--max-count=1', ...commits, '--not', ...known];
  const result = await git.run(query, { gitDir: requireCommonDir(record), answers: [0, 128] });
  return result.exitCode === 0 && result.stdout.length === 0;
}

async function capture(
  git: Git,
  record: WorkspaceRecord,
  clean: CleanWorkspace,
  request: Parameters<CleanRemoval['capture']>[2] & { readonly keptDir: string },
) {
  const { snapshotId, message, at, filesAt, keptDir, onKept } = request;
  const place = { ...worktreeGitDir(record), workTree: filesAt ?? record.path };
  const { commit, tree, files } = clean;
  const head = { ref: branchRef(record), branch: record.branch, commit };
  const commits = record.base.commit ? [record.base.commit] : [];
  const remains = remainsOf(record);
  // If one fails, the other has still finished: a ref that came after the failure would be left behind.
  const [{ modes, ...captured }] = await allInOrder([
    captureClean(git, place, {
      ref: snapshotRef(snapshotId),
      ...{ message, head, tree, files, commits, keptDir, onKept },
      now: at,
    }),
    keepState(place, remains),
  ]);
  await saveDeferredCheck(remains, { head, tree, modes, included: record.included });
  return captured;
}
