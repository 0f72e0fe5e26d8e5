import { type CarrelError, isCarrelError } from '../domain/error.js';
import type { Failure, FailureKind } from '../domain/failure.js';
import type { WorkspaceRecord } from '../domain/workspace.js';
import type { OperationInProgress } from '../git/operation-in-progress.js';
import type { Context } from '../operations/context.js';
import { snapshotWorkspace } from '../operations/snapshot.js';

export interface SettleFailure {
  readonly kind: 'failed';
  readonly failure: Pick<Failure, 'kind' | 'message' | 'hint'>;
}

const failWith = (kind: FailureKind, message: string, hint: string): SettleFailure => ({
  kind: 'failed',
  failure: { kind, message, hint },
});

/** Nothing of it is ended or changed. */
export const failInProgress = (
  { path, name }: WorkspaceRecord,
  operation: OperationInProgress,
): SettleFailure =>
  failWith(
    'operation-in-progress',
    `the agent left a ${operation} in progress in ${path}; expected it to be ended`,
    `end it with: carrel exec ${name} -- ${WAYS_OUT[operation]} — then retry the task`,
  );

const WAYS_OUT: Readonly<Record<OperationInProgress, string>> = {
  rebase: 'git rebase --abort',
  merge: 'git merge --abort',
  'cherry-pick': 'git cherry-pick --abort',
  revert: 'git revert --abort',
  bisect: 'git bisect reset',
};

export const failLeft = ({ name, branch }: WorkspaceRecord, found: string): SettleFailure =>
  failWith(
    'branch-left',
    `the agent went from ${branch} to ${found}, which does not contain it`,
    `go back with: carrel exec ${name} -- git switch ${branch} — and merge what is to be kept; then retry the task`,
  );

export const failUndecided = (files: readonly string[]): SettleFailure =>
  failWith(
    'agent-failed',
    `what the agent left can't be committed as it is: ${files.join(', ')}; expected no unsettled conflicts and no repositories within`,
    'settle the conflicts, and move repositories within away or add them to .gitignore',
  );

/** What can't be brought to the branch is held by a snapshot before anybody works on it again. */
export async function holdAsItIs(
  context: Context,
  record: WorkspaceRecord,
  settled: SettleFailure,
): Promise<SettleFailure> {
  const { kind, message, hint } = settled.failure;
  if (kind === 'workspace-lost') return settled;
  try {
    const order = { repository: record.repository, name: record.id, message };
    const { id } = await snapshotWorkspace(context, order);
    return failWith(kind, message, `${hint}; as it was it is in ${id}`);
  } catch (error) {
    if (!isCarrelError(error)) throw error;
    context.narrate(`warning: no snapshot of ${record.name} could be taken: ${error.message}`);
    return settled;
  }
}

export const failCancelled = (): SettleFailure =>
  failWith('internal', 'cancelled before the work was committed', 'retry the task');

/** What stopped the work from getting to its branch; anything but an error of ours goes on. */
export function explainError(record: WorkspaceRecord, error: unknown): SettleFailure {
  if (!isCarrelError(error)) throw error;
  const message = `the work could not be brought to ${record.branch ?? 'its branch'}: ${error.message}`;
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
      // Nothing that an agent could mend, if it were asked once more.
      return failWith('internal', message, hint);
  }
}

function explainLoss({ name, branch }: WorkspaceRecord, error: CarrelError): SettleFailure {
  const committed = branch === null ? '' : `what was committed is on ${branch}: git log ${branch}; `;
  return failWith('workspace-lost', error.message, `${committed}see what is left with: carrel show ${name}`);
}
