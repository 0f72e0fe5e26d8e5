import { createRisk, type Risk } from '../../domain/risk.js';
import type { WorkspaceRecord } from '../../domain/workspace.js';
import type { Git } from '../../git/git.js';
import { findWorktreeLock, isRegistered } from '../../git/linked-worktree.js';
import { readRef, resolveCommit } from '../../git/refs.js';
import { readWorkTreeState } from '../../git/work-tree-state.js';
import type { RiskOptions, SnapshotLimits } from '../backend.js';
import { itemRisk, listFileRisks } from '../file-risks.js';
import { findUnlandedWork } from '../landed-work.js';
import { requireOurs } from '../presence.js';
import { findPresence } from './inspect.js';
import { branchRef, worktreeGitDir, worktreeOf } from './place.js';

/** What removing a worktree would lose, as far as its files, its commits and its registration tell. */
export async function findWorktreeRisks(
  git: Git,
  temporaryRoot: string,
  record: WorkspaceRecord,
  limits: SnapshotLimits,
  options: RiskOptions = {},
): Promise<Risk[]> {
  const presence = await findPresence(record);
  requireOurs(record, presence);
  // What is left then is a branch, and without a snapshot that stays when it holds anything.
  if (!(await isRegistered(worktreeOf(record)))) return [];
  const state = await readWorkTreeState(git, worktreeGitDir(record), {
    limits,
    included: record.included,
    temporaryRoot,
  });
  const commits = await findCommitRisks(git, temporaryRoot, record, options);
  return [...listFileRisks(state), ...commits, ...(await findLockRisk(record))];
}

/** Commits of HEAD and of the workspace's branch that no other ref holds, in whatever form. */
async function findCommitRisks(
  git: Git,
  temporaryRoot: string,
  record: WorkspaceRecord,
  options: RiskOptions,
): Promise<Risk[]> {
  const place = worktreeGitDir(record);
  // Without a registration there is no HEAD; the branch may still be there.
  const isKnown = await isRegistered(worktreeOf(record));
  const head = isKnown ? await resolveCommit(git, { gitDir: place.gitDir }, 'HEAD') : undefined;
  const branch = await readRef(git, { gitDir: place.commonDir }, branchRef(record));
  const tips = [...new Set([head, branch])].filter(tip => tip !== undefined);
  const answers = await Promise.all(
    tips.map(tip => findUnlandedWork(git, temporaryRoot, record, tip, options)),
  );
  const commits = new Map(
    answers.flatMap(answer => answer.commits).map(commit => [commit.id, commit.subject]),
  );
  const items = [...commits].map(([id, subject]) => `${id.slice(0, 10)} ${subject}`);
  return itemRisk('commits', `${items.length} commit(s) that are not landed:`, items);
}

async function findLockRisk(record: WorkspaceRecord): Promise<Risk[]> {
  const reason = await findWorktreeLock(worktreeOf(record));
  if (reason === undefined) return [];
  const message = `it is locked${reason ? ` (${reason})` : ''}`;
  return [createRisk('locked', message, [record.path], `unlock it with: git worktree unlock ${record.path}`)];
}
