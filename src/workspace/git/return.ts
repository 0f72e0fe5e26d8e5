import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Snapshot } from '../../domain/snapshot/snapshot.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { displayPath, toBytes } from '../../git/byte-path.js';
import type { Git } from '../../git/git.js';
import { readRef, resolveCommit } from '../../git/refs/refs.js';
import {
  adminDirOf,
  isRegistered,
  linkWorktree,
  registerWorktree,
  unregisterWorktree,
} from '../../git/repository/linked-worktree.js';
import { findOlderFiles, findStaged } from '../../git/snapshot/restore/newer-files.js';
import { restoreWorkTree } from '../../git/snapshot/restore/restore-work-tree.js';
import { readSnapshotMeta } from '../../git/snapshot/snapshot-meta.js';
import { withoutFilterPrograms } from '../../git/work-tree/without-filter-programs.js';
import type { WorkTreePlace } from '../../git/work-tree-place.js';
import type { Returning } from '../backend.js';
import { markForeign } from '../location/foreign-mark.js';
import type { GitBackendOptions } from './backend.js';
import { branchRef, requireCommonDir, worktreeGitDir, worktreeOf } from './worktree-place.js';

type Tools = Pick<GitBackendOptions, 'git' | 'temporaryRoot' | 'keptDir'>;

/** The registration in the repository outlives the files, and so do HEAD, the index and an operation in progress. */
export const createGitReturning = (tools: Tools): Returning => ({
  fill: async (record, from, directory) => {
    const isFresh = !(await isRegistered(worktreeOf(record)));
    if (!isFresh) await linkWorktree(worktreeOf(record), directory);
    try {
      if (isFresh) await registerAgain(tools.git, record, from, directory);
      return await fillRegistered(tools, record, from, { directory, isFresh });
    } catch (error) {
      // Its index does not show what was staged, and the next attempt would trust it.
      if (isFresh) await unregisterWorktree(worktreeOf(record));
      throw error;
    }
  },
});

async function fillRegistered(
  tools: Tools,
  record: WorkspaceRecord,
  from: Snapshot | undefined,
  { directory, isFresh }: { readonly directory: string; readonly isFresh: boolean },
) {
  const place = { ...worktreeGitDir(record), workTree: directory };
  if (!from) return fillFromIndex(tools.git, place);
  const isSame = isFresh && (await isWhereItWas(tools.git, place, from));
  return isSame ? fillWhole(tools, place, from) : fillWithNewer(tools, place, from, isFresh);
}

/** After a `git worktree prune`: on its branch as that is now, or where the snapshot says. */
async function registerAgain(
  git: Git,
  record: WorkspaceRecord,
  from: Snapshot | undefined,
  directory: string,
): Promise<void> {
  const head = await chooseHead(git, record, from);
  await registerWorktree({ ...worktreeOf(record), path: directory }, head);
  await writeFile(join(adminDirOf(worktreeOf(record)), 'gitdir'), `${record.path}/.git\n`);
  if (record.sandbox) await markForeign(worktreeGitDir(record).gitDir);
  await git.run(['read-tree', 'HEAD'], { gitDir: worktreeGitDir(record).gitDir });
}

async function chooseHead(git: Git, record: WorkspaceRecord, from: Snapshot | undefined): Promise<string> {
  const gitDir = requireCommonDir(record);
  const head = from && (await readSnapshotMeta(git, from.objectStore, from.commit as string)).head;
  const isOnBranch = !head || head.branch === record.branch;
  if (isOnBranch && (await readRef(git, { gitDir }, branchRef(record)))) return `ref: ${branchRef(record)}`;
  return head?.commit ?? (record.base.commit as string);
}

async function isWhereItWas(git: Git, { gitDir }: WorkTreePlace, from: Snapshot): Promise<boolean> {
  const { head } = await readSnapshotMeta(git, from.objectStore, from.commit as string);
  return head.commit !== null && (await resolveCommit(git, { gitDir }, 'HEAD')) === head.commit;
}

async function fillWhole({ git, temporaryRoot, keptDir }: Tools, place: WorkTreePlace, from: Snapshot) {
  const { warnings } = await restoreWorkTree(git, place, {
    commit: from.commit as string,
    keptDir,
    temporaryRoot,
  });
  return { warnings };
}

/** Index and HEAD stay as they are, and newer content in them takes precedence over the snapshot. */
async function fillWithNewer(
  { git, temporaryRoot, keptDir }: Tools,
  place: WorkTreePlace,
  from: Snapshot,
  isFresh: boolean,
) {
  const { objectStore } = from;
  const commit = from.commit as string;
  const { head } = await readSnapshotMeta(git, objectStore, commit);
  // A rebuilt index has nothing staged: compare it with the commit of that time.
  const staged = isFresh && head.commit ? head.commit : await findStaged(git, objectStore, commit);
  const files = { objectStore, commit, staged, temporaryRoot };
  const { tree, newer, overruled } = await findOlderFiles(git, { gitDir: place.gitDir }, files);
  const { warnings } = await restoreWorkTree(git, place, {
    ...{ commit, tree, keptDir, temporaryRoot },
    beforeModes: () => checkOutIndex(git, place, ['-z', '--stdin'], toBytes(newer.join('\0'))),
  });
  const shown = overruled.slice(0, 3).map(displayPath).join(', ');
  const note = `${overruled.length === 1 ? '1 file was' : `${overruled.length} files were`} committed or staged after the checkpoint and kept in the newer version: ${shown}; for the checkpoint's version: carrel restore ${from.id} --as NAME`;
  return { warnings: overruled.length > 0 ? [...warnings, note] : warnings };
}

/** Without a snapshot, what was committed or staged. */
async function fillFromIndex(git: Git, place: WorkTreePlace) {
  await checkOutIndex(git, place, ['--all']);
  return { warnings: [] };
}

/** Attributes written in a sandbox run no program. 1 and 128: a conflicted path has no single version to check out. */
async function checkOutIndex(
  git: Git,
  place: WorkTreePlace,
  which: readonly string[],
  stdin?: Buffer,
): Promise<void> {
  if (stdin?.length === 0) return;
  const { gitDir, workTree } = place;
  const env = place.isForeign ? await withoutFilterPrograms(git, { gitDir }) : undefined;
  const options = { gitDir, workTree, answers: [0, 1, 128], ...(env && { env }), ...(stdin && { stdin }) };
  await git.run(['checkout-index', '--quiet', '--force', '--index', ...which], options);
}
