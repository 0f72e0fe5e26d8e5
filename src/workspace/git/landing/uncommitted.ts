import { carrelError, isCarrelError } from '../../../domain/error/error.js';
import type { WorkspaceRecord } from '../../../domain/workspace/workspace.js';
import { type BytePath, displayPath, toBytes } from '../../../git/byte-path.js';
import type { Git } from '../../../git/git.js';
import { findIdentityVariables } from '../../../git/history/commit-identity.js';
import { clearStats, findDoubtful } from '../../../git/index/unseen-edits.js';
import { resolveCommit } from '../../../git/refs/refs.js';
import { findOperationInProgress } from '../../../git/repository/operation-in-progress.js';
import { listForeignUncommitted } from '../../../git/work-tree/foreign-status.js';
import { listStatusEntries, type StatusEntry } from '../../../git/work-tree/status-entries.js';
import type { CommittedAll } from '../../backend.js';
import { listUnchangedSetupFiles } from '../../setup/setup-leftovers.js';
import { findUncommittable, findUnreadableWork } from '../../work/uncommittable.js';
import { type WorktreePlace, worktreeGitDir } from '../worktree-place.js';

/**
 * LAND_UNCOMMITTED when the workspace has staged, unstaged or untracked changes. Unchanged files left by the setup do not
 * count.
 */
export async function requireCommitted(
  git: Git,
  record: WorkspaceRecord,
  temporaryRoot: string,
): Promise<void> {
  const place = worktreeGitDir(record);
  const operation = await findOperationInProgress(place.gitDir);
  const paths = place.isForeign
    ? await listForeignUncommitted(git, place, temporaryRoot)
    : (await listStatusEntries(git, place, { untracked: true, submodules: 'all' })).map(({ path }) => path);
  const fromSetup = await listUnchangedSetupFiles(record, place.workTree, paths);
  const work = paths.filter(path => !fromSetup.has(path));
  refuse(record, [...(operation ? [`(a ${operation} in progress)`] : []), ...work.map(displayPath)]);
}

/**
 * Commits everything that is not ignored, not left by the setup and not uncommittable, as the user (see
 * commit-identity.ts), unsigned. Work made in a sandbox must be committed inside it: LAND_UNCOMMITTED.
 */
export async function commitAll(
  git: Git,
  record: WorkspaceRecord,
  message: string,
  temporaryRoot: string,
): Promise<CommittedAll> {
  if (message.trim() === '') {
    throw carrelError('INVALID_INPUT', { what: 'the message', found: 'empty', expected: 'some text' });
  }
  const place = worktreeGitDir(record);
  if (place.isForeign) {
    // `git add` would enter nested repositories, and the git inside the sandbox would not learn of the commit.
    await requireCommitted(git, record, temporaryRoot);
    return { commit: await requireCommit(git, record), leftOut: [] };
  }
  const entries = await requireCommittable(git, record, place);
  // Files that `git add` would skip.
  await clearStats(git, place, await findDoubtful(git, place));
  const leftOut = await addAll(git, record, place, entries);
  if (await hasSomethingToCommit(git, place)) {
    const command = ['commit', '--quiet', '--no-verify', '--no-gpg-sign', '--cleanup=whitespace', '-F', '-'];
    const config = ['i18n.commitEncoding=UTF-8', 'commit.status=false'];
    await git.run(command, {
      ...place,
      config,
      env: await findIdentityVariables(git, place),
      stdin: message,
    });
  }
  return { commit: await requireCommit(git, record), leftOut: [...leftOut.values()] };
}

/** Stages everything that can be staged; returns what is left out, with a message for each. */
async function addAll(
  git: Git,
  record: WorkspaceRecord,
  place: WorktreePlace,
  entries: readonly StatusEntry[],
): Promise<ReadonlyMap<BytePath, string>> {
  // --sparse: files outside the sparse checkout are work too.
  const add = async (leftOut: ReadonlyMap<BytePath, string>) =>
    git.run(['add', '--all', '--sparse', '--pathspec-from-file=-', '--pathspec-file-nul'], {
      ...place,
      config: ['add.ignoreErrors=false'],
      env: { GIT_LITERAL_PATHSPECS: '0' },
      stdin: toBytes(await writePathspecs(record, place, entries, leftOut)),
    });
  const leftOut = findUncommittable(place.workTree, entries);
  try {
    const { stderr } = await add(leftOut);
    return stderr.length === 0 ? leftOut : new Map([...leftOut, ...(await findUnreadableWork(git, place))]);
  } catch (error) {
    if (!isCarrelError(error, 'GIT_FAILED')) throw error;
    const unreadable = await findUnreadableWork(git, place);
    if (unreadable.size === 0) throw error;
    const less = new Map([...leftOut, ...unreadable]);
    await add(less);
    return less;
  }
}

/** Everything except files left by the setup and excluded files. */
async function writePathspecs(
  record: WorkspaceRecord,
  place: WorktreePlace,
  entries: readonly StatusEntry[],
  leftOut: ReadonlyMap<BytePath, string>,
): Promise<string> {
  const untracked = entries.filter(({ kind }) => kind === 'untracked').map(({ path }) => path);
  const fromSetup = await listUnchangedSetupFiles(record, place.workTree, untracked);
  return [':(top)', ...[...fromSetup, ...leftOut.keys()].map(path => `:(top,exclude,literal)${path}`)]
    .map(path => `${path}\0`)
    .join('');
}

async function requireCommit(git: Git, record: WorkspaceRecord): Promise<string> {
  const commit = await resolveCommit(git, { gitDir: worktreeGitDir(record).gitDir }, 'HEAD');
  if (!commit) throw carrelError('INTERNAL', { problem: `${record.id} has no commit after committing` });
  return commit;
}

/**
 * `git add` would take conflict markers as resolved, and a repository inside as a submodule whose commits are nowhere
 * else. A merge whose conflicts are resolved may be concluded; other operations in progress have their own next step.
 */
async function requireCommittable(
  git: Git,
  record: WorkspaceRecord,
  place: WorktreePlace,
): Promise<StatusEntry[]> {
  const operation = await findOperationInProgress(place.gitDir);
  const entries = await listStatusEntries(git, place, { untracked: true, submodules: 'all' });
  const isNested = (path: string) => path.endsWith('/');
  const undecided = entries.filter(
    entry => entry.kind === 'conflicted' || (entry.kind === 'untracked' && isNested(entry.path)),
  );
  refuse(record, [
    ...(operation && operation !== 'merge' ? [`(a ${operation} in progress)`] : []),
    ...undecided.map(entry => displayPath(entry.path)),
  ]);
  return entries;
}

/** A merge is concluded even when its result is the same as HEAD. */
async function hasSomethingToCommit(git: Git, place: WorktreePlace): Promise<boolean> {
  if ((await findOperationInProgress(place.gitDir)) === 'merge') return true;
  const entries = await listStatusEntries(git, place, { untracked: false, submodules: 'commits' });
  return entries.some(entry => entry.isStaged);
}

function refuse(record: WorkspaceRecord, files: readonly string[]): void {
  if (files.length > 0) throw carrelError('LAND_UNCOMMITTED', { name: record.name, files });
}
