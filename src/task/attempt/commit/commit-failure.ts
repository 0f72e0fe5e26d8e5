import { type CarrelError, isCarrelError } from '../../../domain/error/error.js';
import type { Failure, FailureKind } from '../../../domain/task/failure.js';
import type { WorkspaceRecord } from '../../../domain/workspace/workspace.js';
import type { OperationInProgress } from '../../../git/repository/operation-in-progress.js';
import type { Context } from '../../../operations/context.js';
import { snapshotWorkspace } from '../../../operations/snapshot/snapshot.js';

export interface CommitFailure {
  readonly kind: 'failed';
  readonly failure: Pick<Failure, 'kind' | 'message' | 'hint'>;
}

const failWith = (kind: FailureKind, message: string, hint: string): CommitFailure => ({
  kind: 'failed',
  failure: { kind, message, hint },
});

/** The operation is neither aborted nor changed. */
export const failInProgress = (
  { path, name }: WorkspaceRecord,
  operation: OperationInProgress,
): CommitFailure =>
  failWith(
    'operation-in-progress',
    `the agent left a ${operation} in progress in ${path}; expected it to be finished or aborted`,
    `abort it with: carrel exec ${name} -- ${WAYS_OUT[operation]} — then retry the task`,
  );

const WAYS_OUT: Readonly<Record<OperationInProgress, string>> = {
  rebase: 'git rebase --abort',
  merge: 'git merge --abort',
  'cherry-pick': 'git cherry-pick --abort',
  revert: 'git revert --abort',
  bisect: 'git bisect reset',
};

export const failLeft = ({ name, branch }: WorkspaceRecord, found: string): CommitFailure =>
  failWith(
    'branch-left',
    `the agent switched from ${branch} to ${found}, which does not contain it`,
    `switch back with: carrel exec ${name} -- git switch ${branch} — and merge what you want to keep; then retry the task`,
  );

export const failUndecided = (files: readonly string[]): CommitFailure =>
  failWith(
    'agent-failed',
    `cannot commit what the agent left: ${files.join(', ')}; expected no unresolved conflicts and no nested repositories`,
    'resolve the conflicts, and move nested repositories away or add them to .gitignore',
  );

/** Work that cannot be committed to the branch is saved in a snapshot before anything else changes it. */
export async function snapshotUncommittable(
  context: Context,
  record: WorkspaceRecord,
  failed: CommitFailure,
): Promise<CommitFailure> {
  const { kind, message, hint } = failed.failure;
  if (kind === 'workspace-lost') return failed;
  try {
    const order = { repository: record.repository, name: record.id, message };
    const { id } = await snapshotWorkspace(context, order);
    return failWith(kind, message, `${hint}; its current state is saved in ${id}`);
  } catch (error) {
    if (!isCarrelError(error)) throw error;
    context.narrate(`warning: cannot take a snapshot of ${record.name}: ${error.message}`);
    return failed;
  }
}

export const failCancelled = (): CommitFailure =>
  failWith('internal', 'cancelled before the work was committed', 'retry the task');

/** Why the work did not reach its branch; errors that are not Carrel errors are rethrown. */
export function explainError(record: WorkspaceRecord, error: unknown): CommitFailure {
  if (!isCarrelError(error)) throw error;
  const message = `cannot commit the work to ${record.branch ?? 'its branch'}: ${error.message}`;
  const hint = `it stays in ${record.path}; ${error.hint}`;
  switch (error.code) {
    case 'WORKSPACE_MISSING':
    case 'WORKSPACE_MOVED':
    case 'WORKSPACE_REPLACED':
    case 'WORKSPACE_NOT_FOUND':
    case 'WORKSPACE_BUSY':
      return explainLoss(record, error);
    case 'LAND_UNCOMMITTED':
      return failUndecided(error.details.files as readonly string[]);
    case 'DISK_FULL':
      return failWith('disk-full', message, hint);
    case 'TAKE_BACK_REFUSED':
      return failWith('branch-left', message, hint);
    case 'SANDBOX_REFUSED':
    case 'SANDBOX_DAMAGED':
    case 'RUNTIME_UNAVAILABLE':
      return failWith('isolation', message, hint);
    default:
      // An agent could not fix this in another attempt.
      return failWith('internal', message, hint);
  }
}

function explainLoss({ name, branch }: WorkspaceRecord, error: CarrelError): CommitFailure {
  const committed = branch === null ? '' : `the commits are on ${branch}: git log ${branch}; `;
  return failWith('workspace-lost', error.message, `${committed}see what is left with: carrel show ${name}`);
}
