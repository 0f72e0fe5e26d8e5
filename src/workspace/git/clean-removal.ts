import { lstat, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CarrelError } from '../../domain/error.js';
import type { WorkspaceRecord } from '../../domain/workspace.js';
import { listAdminFiles } from '../../git/capture/admin-files.js';
import { captureClean } from '../../git/capture/clean-capture.js';
import { namesIn } from '../../git/capture/kept-commits.js';
import { keepLateLook, keepState } from '../../git/capture/late-look.js';
import type { Git } from '../../git/git.js';
import { findWorktreeLock } from '../../git/linked-worktree.js';
import { findOperationInProgress } from '../../git/operation-in-progress.js';
import { findCleanFiles } from '../../git/work-tree/clean.js';
import { remainsOf } from '../aside.js';
import type { CleanRemoval, CleanWorkspace } from '../backend.js';
import { keptPin } from '../kept-pins.js';
import { snapshotRef } from '../snapshot-ref.js';
import { findPresence } from './inspect.js';
import { branchRef, requireCommonDir, startPin, worktreeGitDir, worktreeOf } from './place.js';

export function createCleanRemoval(git: Git, temporaryRoot: string): CleanRemoval {
  return {
    look: record =>
      look(git, temporaryRoot, record).catch(error => {
        // The closer look meets the same obstacle, and has the words for it.
        if (error instanceof CarrelError) return undefined;
        throw error;
      }),
    capture: (record, clean, request) => capture(git, record, clean, request),
  };
}

/** Three git processes at once, and the walk through the directories meanwhile. */
async function look(
  git: Git,
  temporaryRoot: string,
  record: WorkspaceRecord,
): Promise<CleanWorkspace | undefined> {
  const base = record.base.commit;
  if (base === null || !(await isQuiet(record))) return undefined;
  const place = worktreeGitDir(record);
  // git would look at the files where they are. And a git directory of its own may hold anything.
  if (place.isForeign) return undefined;
  const { included } = record;
  const [own, isBaseHeld, files] = await Promise.all([
    readOwnRefs(git, record),
    isHeld(git, record, base),
    findCleanFiles(git, place, { idLength: base.length, included, temporaryRoot, youngFiles: 'by-time' }),
  ]);
  if (!own || !files || files.index.tree !== own.tree) return undefined;
  const { commit, tree, pins } = own;
  const isLanded = commit === base ? isBaseHeld : await isHeld(git, record, commit);
  if (!isLanded || (await knowsOtherCommits(git, record, [commit, base]))) return undefined;
  return { commit, tree, files, pins };
}

/** What the files around the work tree tell: ours and in place, on its own branch, nothing under way, no lock. */
async function isQuiet(record: WorkspaceRecord): Promise<boolean> {
  const { gitDir } = worktreeGitDir(record);
  if (!record.ownsBranch || (await findPresence(record)).kind !== 'present') return false;
  const head = await readFile(join(gitDir, 'HEAD'), 'utf8');
  if (head !== `ref: ${branchRef(record)}\n`) return false;
  // Submodules, which are not checked out any more, may have commits of their own.
  const modules = await lstat(join(gitDir, 'modules')).catch(() => undefined);
  const operation = await findOperationInProgress(gitDir);
  return !modules && !operation && (await findWorktreeLock(worktreeOf(record))) === undefined;
}

/** The workspace's branch and pins; undefined when the pin that makes the branch ours is not among them. */
async function readOwnRefs(git: Git, record: WorkspaceRecord) {
  const pinned = `refs/carrel/workspaces/${record.id}`;
  const format = '--format=%(refname)%00%(objectname)%00%(tree)';
  const text = await git.text(['for-each-ref', format, '--end-of-options', branchRef(record), pinned], {
    gitDir: requireCommonDir(record),
  });
  const rows = text.split('\n').map(line => line.split('\0') as [string, string, string]);
  const branch = rows.find(([ref]) => ref === branchRef(record));
  const pins = rows.filter(([ref]) => ref.startsWith(`${pinned}/`));
  if (!branch || !pins.some(([ref]) => ref === startPin(record))) return undefined;
  // A snapshot without a closer look would not hold them.
  if (pins.some(([ref, id]) => ref === keptPin(record.id, id))) return undefined;
  const [, commit, tree] = branch;
  return { commit, tree, pins: pins.map(([ref, from]) => ({ ref, from, to: null })) };
}

/** Whether another branch, remote branch or tag leads to the commit. */
async function isHeld(git: Git, record: WorkspaceRecord, commit: string): Promise<boolean> {
  const others = ['refs/heads', 'refs/remotes', 'refs/tags'].flatMap(glob => [
    // An exclusion holds for the next --glob only.
    `--exclude=${branchRef(record)}`,
    `--glob=${glob}`,
  ]);
  return hasNothingBeyond(git, record, [commit], others);
}

/** Commits that the reflog and the like still name would be kept by a closer look. */
async function knowsOtherCommits(
  git: Git,
  record: WorkspaceRecord,
  known: readonly string[],
): Promise<boolean> {
  const names = (await listAdminFiles(worktreeGitDir(record))).flatMap(namesIn);
  const others = [...new Set(names)].filter(name => !known.includes(name));
  return others.length > 0 && !(await hasNothingBeyond(git, record, others, known));
}

/** 128: a name of something that is no longer there, or was never a commit. */
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
  { snapshotId, message, at, filesAt }: Parameters<CleanRemoval['capture']>[2],
) {
  const place = { ...worktreeGitDir(record), workTree: filesAt ?? record.path };
  const { commit, tree, files } = clean;
  const head = { ref: branchRef(record), branch: record.branch, commit };
  const commits = record.base.commit ? [record.base.commit] : [];
  const remains = remainsOf(record);
  const [{ modes, ...captured }] = await Promise.all([
    captureClean(git, place, { ref: snapshotRef(snapshotId), message, head, tree, files, commits, now: at }),
    keepState(place, remains),
  ]);
  await keepLateLook(remains, { head, tree, modes, included: record.included });
  return captured;
}
