import { carrelError } from '../../domain/error.js';
import type { WorkspaceRecord } from '../../domain/workspace.js';
import { displayPath } from '../../git/byte-path.js';
import type { Git } from '../../git/git.js';
import { findIdentityVariables } from '../../git/identity.js';
import { findOperationInProgress } from '../../git/operation-in-progress.js';
import { resolveCommit } from '../../git/refs.js';
import { listStatusEntries } from '../../git/status-entries.js';
import { listForeignUncommitted } from '../../git/work-tree/foreign-status.js';
import { type WorktreePlace, worktreeGitDir } from './place.js';

/** LAND_UNCOMMITTED when something in the workspace, staged, unstaged or untracked, is in no commit. */
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
  refuse(record, [...(operation ? [`(a ${operation} in progress)`] : []), ...paths.map(displayPath)]);
}

/**
 * Commits everything that is not ignored, by the user (see identity.ts), unsigned; gives the commit. What was made in a
 * sandbox is committed in there: LAND_UNCOMMITTED.
 */
export async function commitAll(
  git: Git,
  record: WorkspaceRecord,
  message: string,
  temporaryRoot: string,
): Promise<string> {
  if (message.trim() === '') {
    throw carrelError('INVALID_INPUT', { what: 'the message', found: 'empty', expected: 'some text' });
  }
  const place = worktreeGitDir(record);
  if (place.isForeign) {
    // `git add` would enter the repositories within; and the git inside, whose branch it is, would not know of it.
    await requireCommitted(git, record, temporaryRoot);
    return requireCommit(git, record);
  }
  await requireCommittable(git, record, place);
  // --sparse: files outside of the sparse checkout are work like any other.
  await git.run(['add', '--all', '--sparse'], { ...place, config: ['add.ignoreErrors=false'] });
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
  return requireCommit(git, record);
}

async function requireCommit(git: Git, record: WorkspaceRecord): Promise<string> {
  const commit = await resolveCommit(git, { gitDir: worktreeGitDir(record).gitDir }, 'HEAD');
  if (!commit) throw carrelError('INTERNAL', { problem: `${record.id} has no commit after committing` });
  return commit;
}

/**
 * `git add` would take conflict markers for a decision, and a repository inside for a submodule whose commits are
 * nowhere else. A merge whose conflicts are settled may be concluded; what else is in progress has its own next step.
 */
async function requireCommittable(git: Git, record: WorkspaceRecord, place: WorktreePlace): Promise<void> {
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
