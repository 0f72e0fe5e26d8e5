import { createRisk, type Risk, type RiskKind } from '../../domain/risk.js';
import type { WorkspaceRecord } from '../../domain/workspace.js';
import { type BytePath, displayPath } from '../../git/byte-path.js';
import type { Git } from '../../git/git.js';
import { findWorktreeLock, isRegistered } from '../../git/linked-worktree.js';
import { readRef, resolveCommit } from '../../git/refs.js';
import { readWorkTreeState, type WorkTreeState } from '../../git/work-tree-state.js';
import type { SnapshotLimits } from '../backend.js';
import { requireOurs } from '../presence.js';
import { findPresence } from './inspect.js';
import { findUnlandedWork } from './landed-work.js';
import { branchRef, worktreeGitDir, worktreeOf } from './place.js';

/** What removing a worktree would lose, as far as its files, its commits and its registration tell. */
export async function findWorktreeRisks(
  git: Git,
  temporaryRoot: string,
  record: WorkspaceRecord,
  limits: SnapshotLimits,
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
  const commits = await findCommitRisks(git, temporaryRoot, record);
  return [...listFileRisks(state), ...commits, ...(await findLockRisk(record))];
}

function listFileRisks(state: WorkTreeState): Risk[] {
  const changed = [...new Set([...state.staged, ...state.modified])];
  const tooLarge = state.ignored.beyondLimit.map(omitted => omitted.path);
  return [
    ...fileRisk('changes', 'uncommitted changes in', changed),
    ...fileRisk('conflicted', 'unsettled conflicts in', state.conflicted),
    ...fileRisk('hidden-changes', 'changes that git was told not to look at in', state.hidden),
    ...fileRisk('untracked', 'untracked files:', state.untracked),
    ...fileRisk('nested-repository', 'nested repositories:', state.nestedRepositories),
    ...fileRisk(
      'submodule',
      'submodules with work of their own:',
      state.dirtySubmodules.map(submodule => submodule.path),
    ),
    ...itemRisk('large-ignored', 'ignored files too large for a snapshot:', tooLarge),
    ...(state.operation
      ? [createRisk('in-progress', `a ${state.operation} is in progress`, [state.operation])]
      : []),
  ];
}

const fileRisk = (kind: RiskKind, text: string, paths: readonly BytePath[]): Risk[] =>
  itemRisk(kind, text, paths.map(displayPath));

/** Names that fit into one sentence; `items` has them all. */
const NAMED = 3;

function itemRisk(kind: RiskKind, text: string, items: readonly string[]): Risk[] {
  if (items.length === 0) return [];
  const more = items.length > NAMED ? ` and ${items.length - NAMED} more` : '';
  return [createRisk(kind, `${text} ${items.slice(0, NAMED).join(', ')}${more}`, items)];
}

/** Commits of HEAD and of the workspace's branch that no other ref holds, in whatever form. */
async function findCommitRisks(git: Git, temporaryRoot: string, record: WorkspaceRecord): Promise<Risk[]> {
  const place = worktreeGitDir(record);
  // Without a registration there is no HEAD; the branch may still be there.
  const isKnown = await isRegistered(worktreeOf(record));
  const head = isKnown ? await resolveCommit(git, { gitDir: place.gitDir }, 'HEAD') : undefined;
  const branch = await readRef(git, { gitDir: place.commonDir }, branchRef(record));
  const tips = [...new Set([head, branch])].filter(tip => tip !== undefined);
  const answers = await Promise.all(tips.map(tip => findUnlandedWork(git, temporaryRoot, record, tip)));
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
