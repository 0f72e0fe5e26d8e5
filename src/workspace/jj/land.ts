import { carrelError } from '../../domain/error.js';
import type { WorkspaceRecord } from '../../domain/workspace.js';
import { displayPath } from '../../git/byte-path.js';
import type { Git, GitOptions } from '../../git/git.js';
import { readRef, symbolicHead, updateRefs } from '../../git/refs.js';
import { listStatusEntries } from '../../git/status-entries.js';
import { listForeignUncommitted } from '../../git/work-tree/foreign-status.js';
import { exportBookmarks, importBookmarks, readBookmark, setBookmark } from '../../jj/bookmarks.js';
import { identityVariables, readIdentity } from '../../jj/identity.js';
import { isColocated } from '../../jj/repository.js';
import { headOf, readWorkingCopy, recordFiles, type WorkingCopy } from '../../jj/working-copy.js';
import type { Landing, LandPlan, LandRequest } from '../backend.js';
import { buildLandCommit } from '../land-commit.js';
import { requirePresent } from '../presence.js';
import { settleRefs } from './inspect.js';
import { findLandTarget } from './land-target.js';
import {
  bookmarkPin,
  hasRepository,
  type JjBackendOptions,
  repositoryOf,
  requireCommonDir,
} from './place.js';
import { sight } from './presence.js';
import { viewOf, withView } from './view.js';

/**
 * Lands what the workspace stands on: its described working-copy commit, or what an undescribed and empty one is on top
 * of. The objects are made first; then the bookmark moves by compare-and-swap of git's branch, which jj takes over. No
 * workspace is rebased: jj leaves the user's working-copy commit where it is.
 */
export function createJjLanding(options: JjBackendOptions): Landing {
  return {
    prepare: (record, request) => prepare(options, record, request),
    move: async (record, plan, onStep) => {
      await move(options, record, plan);
      await onStep('moved');
      await takeOver(options, record);
      await onStep('checked-out');
    },
    finish: async (record, plan) => {
      if (!(await hasRepository(record))) return;
      const found = await readRef(options.git, placeOf(record), refOf(plan));
      if (found === plan.after) await takeOver(options, record);
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
  requirePresent(record, (await sight(jj, record)).presence);
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
  return { into: target.bookmark, before: target.tip, after, commits, checkouts: [] };
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
  // Of a sandbox's files jj would take its configuration too.
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

async function requireWorkingCopy({ jj }: JjBackendOptions, record: WorkspaceRecord): Promise<WorkingCopy> {
  const workingCopy = await readWorkingCopy(jj, record.repository, record.id);
  if (workingCopy) return workingCopy;
  throw carrelError('WORKSPACE_MISSING', { name: record.name, path: record.path });
}

/** What the commit does not have: all of an undescribed change, and what jj does not take up by itself. */
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

/** Whoever made the commit with jj made it as the user that jj knows, and so is what landing adds. */
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
 * Where git's HEAD is attached to the branch, as after `jj git init` in a git repository, it is detached at the same
 * commit first, which jj does itself before it moves a branch: otherwise jj would take the user's files for a revert of
 * what was landed.
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
 * In a colocated repository jj takes git's branches over with the user's next command, together with git's HEAD; to do
 * one without the other would leave their working-copy commit behind a commit that they made with git.
 */
async function takeOver({ jj }: JjBackendOptions, record: WorkspaceRecord): Promise<void> {
  if (!isColocated(repositoryOf(record))) await importBookmarks(jj, record.repository);
}

/**
 * Describes the change, unless somebody has, and begins a new one on top; new files of any size are part of it. The
 * workspace's own bookmark follows, as a branch of git's does.
 */
async function commitAll(
  options: JjBackendOptions,
  record: WorkspaceRecord,
  message: string,
): Promise<string> {
  if (message.trim() === '') {
    throw carrelError('INVALID_INPUT', { what: 'the message', found: 'empty', expected: 'some text' });
  }
  requirePresent(record, (await sight(options.jj, record)).presence);
  if (!record.sandbox) await options.jj.run(['util', 'snapshot'], inFiles(record));
  const workingCopy = await requireWorkingCopy(options, record);
  const { conflicts, isDescribed } = workingCopy;
  if (conflicts.length > 0) throw carrelError('LAND_UNCOMMITTED', { name: record.name, files: conflicts });
  const files = await listChangedFiles(options, record, workingCopy);
  // What was made in a sandbox is committed in there.
  if (record.sandbox && files.length > 0) throw carrelError('LAND_UNCOMMITTED', { name: record.name, files });
  if (!record.sandbox && (files.length > 0 || headOf(workingCopy) === workingCopy.commit)) {
    const env = await identityVariables(options.jj, record.repository);
    const command = isDescribed ? ['new'] : ['commit', '--message', message];
    await options.jj.run(command, { ...inFiles(record), env });
  }
  const commit = requireHead(record, await requireWorkingCopy(options, record));
  await moveOwnBookmark(options, record, commit);
  return commit;
}

/** For what records the files of the workspace, all of them. */
const inFiles = ({ path }: WorkspaceRecord) => ({
  workspace: path,
  touchesFiles: true,
  config: ['snapshot.max-new-file-size=0', 'snapshot.auto-track="all()"'],
});

function requireHead(record: WorkspaceRecord, workingCopy: WorkingCopy): string {
  const commit = headOf(workingCopy);
  if (commit) return commit;
  throw carrelError('INTERNAL', { problem: `${record.id} has no commit after committing` });
}

/** Without its pin, what has that name now is somebody else's. */
async function moveOwnBookmark(
  { git, jj }: JjBackendOptions,
  record: WorkspaceRecord,
  commit: string,
): Promise<void> {
  const { branch, repository } = record;
  if (branch === null || !(await readRef(git, placeOf(record), bookmarkPin(record)))) return;
  const tips = await readBookmark(jj, repository, branch);
  if (tips.length !== 1 || tips[0] !== commit) await setBookmark(jj, repository, branch, commit);
  await settleRefs(jj, record);
}

const placeOf = (record: WorkspaceRecord) => ({ gitDir: requireCommonDir(record) });

const refOf = (plan: LandPlan): string => `refs/heads/${plan.into}`;
