import { createRisk, type Risk } from '../../domain/workspace/risk.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import type { Git } from '../../git/git.js';
import { readRef, resolveCommit } from '../../git/refs/refs.js';
import { findWorktreeLock, isRegistered } from '../../git/repository/linked-worktree.js';
import { readWorkTreeState, type WorkTreeState } from '../../git/work-tree/work-tree-state.js';
import type { WorkTreePlace } from '../../git/work-tree-place.js';
import type { RiskOptions, SnapshotLimits } from '../backend.js';
import { asideOf } from '../location/aside.js';
import { requireOurs } from '../location/presence.js';
import { listUnchangedSetupFiles } from '../setup/setup-leftovers.js';
import { findFileRisks, itemRisk, listFileRisks } from '../work/file-risks.js';
import { withInspectionLimit } from '../work/inspection-limit.js';
import { findUnlandedWork } from '../work/landed-work.js';
import { findPresence } from './inspect.js';
import { branchRef, worktreeGitDir, worktreeOf } from './worktree-place.js';

/** What removing a worktree would lose, based on its files, commits and registration. */
export async function findWorktreeRisks(
  git: Git,
  temporaryRoot: string,
  record: WorkspaceRecord,
  limits: SnapshotLimits,
  options: RiskOptions = {},
): Promise<Risk[]> {
  const closed = await findFileRisks(async () => {
    requireOurs(record, await findPresence(record));
    return [];
  });
  if (closed.length > 0) return closed;
  // Only a branch is left, and without a snapshot it is kept when it holds commits.
  if (!(await isRegistered(worktreeOf(record)))) return [];
  const { included } = record;
  const place = await findPlace(record);
  const readRisks = async (at: WorkTreePlace) => {
    return listWorkRisks(record, await readWorkTreeState(git, at, { limits, included, temporaryRoot }));
  };
  const files = await findFileRisks(() =>
    options.isLook ? withInspectionLimit(place, readRisks) : readRisks(place),
  );
  const head = await resolveCommit(git, { gitDir: place.gitDir }, 'HEAD');
  const commits = await findCommitRisks(git, temporaryRoot, record, { ...options, head });
  return [...files, ...commits, ...(await findLockRisk(record))];
}

/** Without what the setup left: a snapshot holds it anyway. */
export async function listWorkRisks(record: WorkspaceRecord, state: WorkTreeState): Promise<Risk[]> {
  const fromSetup = await listUnchangedSetupFiles(record, record.path, state.untracked);
  return listFileRisks({ ...state, untracked: state.untracked.filter(path => !fromSetup.has(path)) });
}

/** An emptied directory counts as gone: its files were not deleted as individual changes. */
async function findPlace(record: WorkspaceRecord): Promise<WorkTreePlace> {
  const place = worktreeGitDir(record);
  const isGone = (await findPresence(record)).kind === 'missing';
  return isGone ? { ...place, workTree: asideOf(record) } : place;
}

/** Commits of HEAD and of the workspace's branch that no other ref holds, even rewritten. */
export async function findCommitRisks(
  git: Git,
  temporaryRoot: string,
  record: WorkspaceRecord,
  { head, ...options }: RiskOptions & { readonly head: string | undefined },
): Promise<Risk[]> {
  const place = worktreeGitDir(record);
  const branch = await readRef(git, { gitDir: place.commonDir }, branchRef(record));
  const tips = [...new Set([head, branch])].filter(tip => tip !== undefined);
  const answers = await Promise.all(
    tips.map(tip => findUnlandedWork(git, temporaryRoot, record, tip, options)),
  );
  const commits = new Map(
    answers.flatMap(answer => answer.commits).map(commit => [commit.id, commit.subject]),
  );
  const items = [...commits].map(([id, subject]) => `${id.slice(0, 10)} ${subject}`);
  return itemRisk(
    'commits',
    `${items.length} ${items.length === 1 ? 'commit' : 'commits'} not landed:`,
    items,
  );
}

export async function findLockRisk(record: WorkspaceRecord): Promise<Risk[]> {
  const reason = await findWorktreeLock(worktreeOf(record));
  if (reason === undefined) return [];
  const message = `it is locked${reason ? ` (${reason})` : ''}`;
  return [createRisk('locked', message, [record.path], `unlock it with: git worktree unlock ${record.path}`)];
}
