import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { WorkspaceRecord } from '../../../domain/workspace/workspace.js';
import { findProcessesInside } from '../../../exec/inside/processes-inside.js';
import { waitForIndexLock } from '../../../git/index/index-lock.js';
import { findOperationInProgress } from '../../../git/repository/operation-in-progress.js';
import type { WorkTreePlace } from '../../../git/work-tree-place.js';
import type { Context } from '../../../operations/context.js';
import type { Landing } from '../../../workspace/backend.js';
import { failInProgress, failLeft } from './commit-failure.js';
import type { CommitWorkRequest, OnBranch } from './commit-work.js';
import { returnToBranch } from './return-to-branch.js';

/** For a worktree whose files and git the host may read. */
export async function commitWorkInWorktree(
  context: Pick<Context, 'backends' | 'git'>,
  record: WorkspaceRecord,
  place: WorkTreePlace,
  { before, message }: CommitWorkRequest,
): Promise<OnBranch> {
  // First, because every later fix needs a working git.
  const unlocked = await removeStaleLock(place);
  const operation = await findOperationInProgress(place.gitDir);
  if (operation) return failInProgress(record, operation);
  const position = await returnToBranch(context.git, place, record.branch as string, before);
  if (position.kind === 'left') return failLeft(record, position.found);
  const landing = context.backends.of(record.backend).landing as Landing;
  const { commit, leftOut } = await landing.commitAll(record, message);
  const warnings = [...position.warnings, ...unlocked, ...leftOut];
  return { kind: 'on-branch', commit, committed: commit !== position.tip, warnings };
}

/**
 * A git that was killed, for example with the agent that called it, leaves its lock behind, and every later git
 * fails. The lock is removed when no process in the worktree can own it. Returns warnings.
 */
async function removeStaleLock({ gitDir, workTree }: WorkTreePlace): Promise<string[]> {
  if (await waitForIndexLock(gitDir)) return [];
  const inside = await Promise.all([workTree, gitDir].map(path => findProcessesInside(path)));
  if (inside.flat().length > 0) return [];
  await rm(join(gitDir, 'index.lock'), { force: true });
  return ['removed an index lock left by a killed git'];
}
