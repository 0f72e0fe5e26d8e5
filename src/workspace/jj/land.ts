import { carrelError } from '../../domain/error/error.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { displayPath } from '../../git/byte-path.js';
import { MOST_FILE_BYTES } from '../../git/files/most-file-bytes.js';
import type { Git, GitOptions } from '../../git/git.js';
import { readRef, symbolicHead, updateRefs } from '../../git/refs/refs.js';
import { listForeignUncommitted } from '../../git/work-tree/foreign-status.js';
import { listStatusEntries } from '../../git/work-tree/status-entries.js';
import { readWorkTreeState } from '../../git/work-tree/work-tree-state.js';
import { exportBookmarks, importBookmarks, readBookmark, setBookmark } from '../../jj/bookmarks.js';
import { identityVariables, readIdentity } from '../../jj/jj-identity.js';
import { isColocated } from '../../jj/repository.js';
import { headOf, recordFiles, type WorkingCopy } from '../../jj/working-copy.js';
import type { CommittedAll, Landing, LandPlan, LandRequest } from '../backend.js';
import { requirePresent } from '../location/presence.js';
import { buildLandCommit } from '../work/land-commit.js';
import { describeTooLarge, tooLargeToCommit } from '../work/uncommittable.js';
import { viewOf, withView } from './git-view.js';
import { exportToGit } from './inspect.js';
import {
  bookmarkPin,
  hasRepository,
  type JjBackendOptions,
  repositoryOf,
  requireCommonDir,
} from './jj-place.js';
import { inspectJjPresence, readOwnWorkingCopy } from './jj-presence.js';
import { findLandTarget } from './land-target.js';

/**
 * Lands the workspace's described working-copy commit, or its parent when that commit is undescribed and empty. Creates
 * the objects first, then moves the bookmark by compare-and-swap of git's branch, which jj imports. No workspace is
 * rebased: jj leaves the user's working-copy commit where it is.
 */
export function createJjLanding(options: JjBackendOptions): Landing {
  return {
    prepare: (record, request) => prepare(options, record, request),
    move: async (record, plan, onStep) => {
      await move(options, record, plan);
      await onStep('moved');
      await importBranches(options, record);
      await onStep('checked-out');
    },
    finish: async (record, plan) => {
      if (!(await hasRepository(record))) return;
      const found = await readRef(options.git, placeOf(record), refOf(plan));
      if (found === plan.after) await importBranches(options, record);
    },
    commitAll: (record, message) => commitAll(options, record, message),
  };
}

async function prepare(
  options: JjBackendOptions,
  record: WorkspaceRecord,
  request: LandRequest,
): Promise<LandPlan> {
  const { git, jj } = options;
  requirePresent(record, (await inspectJjPresence(options, record)).presence);
  await exportBookmarks(jj, record.repository);
  const target = await findLandTarget(options, record, request.into);
  const tip = await requireCommitted(options, record, target.bookmark);
  const place = placeOf(record);
  const names = { name: record.name, into: target.bookmark };
  const range = ['rev-list', '--count', `${target.tip}..${tip}`];
  const commits = tip ? Number(await git.text(range, place)) : 0;
  if (!tip || commits === 0) throw carrelError('LAND_NOTHING', names);
  const work = { ...names, before: target.tip, tip, message: request.message };
  const author = withEnvironment(git, await authorVariables(options, record));
  const after = await buildLandCommit(author, place, request.strategy, work);
  return {
    into: target.bookmark,
    before: target.tip,
    after,
    commits,
    isFastForward: after === tip,
    checkouts: [],
  };
}

/**
 * The commit to land; null for jj's root. The files are recorded first, as every jj command in the workspace would.
 * LAND_UNCOMMITTED for a change without a description, LAND_CONFLICT for one with conflicts, which git could not hold.
 */
async function requireCommitted(
  options: JjBackendOptions,
  record: WorkspaceRecord,
  into: string,
): Promise<string | null> {
  const { name } = record;
  // jj would also read its configuration from a sandbox's files.
  if (!record.sandbox) await recordFiles(options.jj, record.path);
  const workingCopy = await requireWorkingCopy(options, record);
  const { conflicts, parents, isDescribed } = workingCopy;
  if (conflicts.length > 0) throw carrelError('LAND_CONFLICT', { name, into, files: conflicts });
  const isBareMerge = parents.length > 1 && !isDescribed;
  const files = [
    ...(isBareMerge ? ['(a merge without a description)'] : []),
    ...(await listChangedFiles(options, record, workingCopy)),
  ];
  if (files.length > 0) throw carrelError('LAND_UNCOMMITTED', { name, files });
  return headOf(workingCopy);
}

async function requireWorkingCopy(options: JjBackendOptions, record: WorkspaceRecord): Promise<WorkingCopy> {
  const workingCopy = await readOwnWorkingCopy(options, record);
  if (workingCopy) return workingCopy;
  throw carrelError('WORKSPACE_MISSING', { name: record.name, path: record.path });
}

/** What the commit lacks: all of an undescribed change, and files that jj does not record automatically. */
async function listChangedFiles(
  { git, temporaryRoot }: JjBackendOptions,
  record: WorkspaceRecord,
  workingCopy: WorkingCopy,
): Promise<string[]> {
  const view = viewOf(record, headOf(workingCopy));
  const paths = await withView(git, temporaryRoot, view, async place => {
    if (place.isForeign) return listForeignUncommitted(git, place, temporaryRoot);
    const entries = await listStatusEntries(git, place, { untracked: true, submodules: 'commits' });
    return entries.map(entry => entry.path);
  });
  return paths.map(displayPath);
}

/** Commits added by landing use the user that jj is configured with, like the workspace's commits. */
async function authorVariables(
  { jj }: JjBackendOptions,
  record: WorkspaceRecord,
): Promise<Record<string, string>> {
  const { name, email } = await readIdentity(jj, record.repository);
  return {
    GIT_AUTHOR_NAME: name,
    GIT_AUTHOR_EMAIL: email,
    GIT_COMMITTER_NAME: name,
    GIT_COMMITTER_EMAIL: email,
  };
}

function withEnvironment(git: Git, env: Readonly<Record<string, string>>): Git {
  const extend = (options: GitOptions = {}): GitOptions => ({ ...options, env: { ...env, ...options.env } });
  return {
    run: (args, options) => git.run(args, extend(options)),
    text: (args, options) => git.text(args, extend(options)),
    records: (args, options) => git.records(args, extend(options)),
    succeeds: (args, options) => git.succeeds(args, extend(options)),
  };
}

/**
 * Where git's HEAD is on the branch, as after `jj git init` in a git repository, it is first detached at the same commit,
 * as jj does before it moves a branch: otherwise jj would take the user's files for a revert of what was landed.
 */
async function move({ git }: JjBackendOptions, record: WorkspaceRecord, plan: LandPlan): Promise<void> {
  const place = placeOf(record);
  if (isColocated(repositoryOf(record)) && (await symbolicHead(git, place)) === plan.into) {
    const detach = ['update-ref', '--no-deref', '-m', 'carrel: as jj does', 'HEAD', plan.before, plan.before];
    await git.run(detach, place);
  }
  const change = { ref: refOf(plan), from: plan.before, to: plan.after };
  await updateRefs(git, place, [change], `carrel: land ${record.name}`);
}

/**
 * In a colocated repository jj imports git's branches with the user's next command, together with git's HEAD; importing
 * one without the other would leave their working-copy commit behind a commit that they made with git.
 */
async function importBranches({ jj }: JjBackendOptions, record: WorkspaceRecord): Promise<void> {
  if (!isColocated(repositoryOf(record))) await importBookmarks(jj, record.repository);
}

/**
 * Describes the change, unless it is described, and starts a new one on top; includes new files of any size. The
 * workspace's own bookmark follows, as a git branch does.
 */
async function commitAll(
  options: JjBackendOptions,
  record: WorkspaceRecord,
  message: string,
): Promise<CommittedAll> {
  if (message.trim() === '') {
    throw carrelError('INVALID_INPUT', { what: 'the message', found: 'empty', expected: 'some text' });
  }
  requirePresent(record, (await inspectJjPresence(options, record)).presence);
  const leftOut = record.sandbox ? [] : await recordAll(options, record);
  const workingCopy = await requireWorkingCopy(options, record);
  const { conflicts, isDescribed } = workingCopy;
  if (conflicts.length > 0) throw carrelError('LAND_UNCOMMITTED', { name: record.name, files: conflicts });
  const files = await listChangedFiles(options, record, workingCopy);
  // Work made in a sandbox must be committed inside it.
  if (record.sandbox && files.length > 0) throw carrelError('LAND_UNCOMMITTED', { name: record.name, files });
  if (!record.sandbox && (files.length > 0 || headOf(workingCopy) === workingCopy.commit)) {
    const env = await identityVariables(options.jj, record.repository);
    const command = isDescribed ? ['new'] : ['commit', '--message', message];
    await options.jj.run(command, { ...inFiles(record), env });
  }
  const commit = requireHead(record, await requireWorkingCopy(options, record));
  await moveOwnBookmark(options, record, commit);
  return { commit, leftOut };
}

/** Returns messages about files that jj leaves out. SNAPSHOT_TOO_LARGE for a tracked file: jj records those at any size. */
async function recordAll(options: JjBackendOptions, record: WorkspaceRecord): Promise<string[]> {
  const { git, temporaryRoot } = options;
  const before = await requireWorkingCopy(options, record);
  const query = { limits: null, included: [], temporaryRoot };
  const { tooLarge, untracked } = await withView(git, temporaryRoot, viewOf(record, before.commit), place =>
    readWorkTreeState(git, place, query),
  );
  const isNew = new Set(untracked);
  const tracked = tooLarge.find(path => !isNew.has(path));
  if (tracked !== undefined) throw tooLargeToCommit(record.path, tracked);
  await options.jj.run(['util', 'snapshot'], inFiles(record));
  return tooLarge.map(path => describeTooLarge(record.path, path));
}

/** For commands that record the workspace's files: every file that a commit may hold. */
const inFiles = ({ path }: WorkspaceRecord) => ({
  workspace: path,
  touchesFiles: true,
  config: [`snapshot.max-new-file-size=${MOST_FILE_BYTES}`, 'snapshot.auto-track="all()"'],
});

function requireHead(record: WorkspaceRecord, workingCopy: WorkingCopy): string {
  const commit = headOf(workingCopy);
  if (commit) return commit;
  throw carrelError('INTERNAL', { problem: `${record.id} has no commit after committing` });
}

/** Without its pin, a bookmark of that name is not ours. */
async function moveOwnBookmark(
  { git, jj }: JjBackendOptions,
  record: WorkspaceRecord,
  commit: string,
): Promise<void> {
  const { branch, repository } = record;
  if (branch === null || !(await readRef(git, placeOf(record), bookmarkPin(record)))) return;
  const tips = await readBookmark(jj, repository, branch);
  if (tips.length !== 1 || tips[0] !== commit) await setBookmark(jj, repository, branch, commit);
  await exportToGit(jj, record);
}

const placeOf = (record: WorkspaceRecord) => ({ gitDir: requireCommonDir(record) });

const refOf = (plan: LandPlan): string => `refs/heads/${plan.into}`;
