import type { WorkspaceRecord } from '../domain/workspace.js';
import { findOperationInProgress } from '../git/operation-in-progress.js';
import type { WorkTreePlace } from '../git/work-tree/place.js';
import type { Context } from '../operations/context.js';
import type { Landing } from '../workspace/backend.js';
import { clearStaleLock } from './clear-stale-lock.js';
import { returnToBranch } from './return-to-branch.js';
import { failInProgress, failLeft } from './settle-failure.js';
import type { OnBranch, SettleRequest } from './settle-work.js';

/** For a worktree whose files and git the host may look at. */
export async function settleWorktree(
  context: Context,
  record: WorkspaceRecord,
  place: WorkTreePlace,
  { before, message }: SettleRequest,
): Promise<OnBranch> {
  // First, because whoever mends the rest needs a git that works.
  const unlocked = await clearStaleLock(place);
  const operation = await findOperationInProgress(place.gitDir);
  if (operation) return failInProgress(record, operation);
  const stand = await returnToBranch(context.git, place, record.branch as string, before);
  if (stand.kind === 'left') return failLeft(record, stand.found);
  const landing = context.backends[record.backend].landing as Landing;
  const commit = await landing.commitAll(record, message);
  const warnings = [...stand.warnings, ...unlocked];
  return { kind: 'on-branch', commit, committed: commit !== stand.tip, warnings };
}
