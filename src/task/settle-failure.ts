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
export async function failInProgress(
  context: Context,
  record: WorkspaceRecord,
  operation: OperationInProgress,
): Promise<SettleFailure> {
  const held = await holdAsItIs(context, record, `a ${operation} in progress`);
  return failWith(
    'operation-in-progress',
    `the agent left a ${operation} in progress in ${record.path}; expected it to be ended`,
    `end it with: carrel exec ${record.name} -- ${WAYS_OUT[operation]} — then retry the task${held}`,
  );
}

const WAYS_OUT: Readonly<Record<OperationInProgress, string>> = {
  rebase: 'git rebase --abort',
  merge: 'git merge --abort',
  'cherry-pick': 'git cherry-pick --abort',
  revert: 'git revert --abort',
  bisect: 'git bisect reset',
};

export async function failLeft(
  context: Context,
  record: WorkspaceRecord,
  found: string,
): Promise<SettleFailure> {
  const held = await holdAsItIs(context, record, `on ${found}`);
  return failWith(
    'branch-left',
    `the agent went from ${record.branch} to ${found}, which does not contain it`,
    `go back with: carrel exec ${record.name} -- git switch ${record.branch} — and merge what is to be kept; then retry the task${held}`,
  );
}

export const failUndecided = (files: readonly string[]): SettleFailure =>
  failWith(
    'agent-failed',
    `what the agent left can't be committed as it is: ${files.join(', ')}; expected no unsettled conflicts and no repositories within`,
    'settle the conflicts, and move repositories within away or add them to .gitignore',
  );

/** For the end of a hint. The workspace is kept in any case: without a snapshot nothing is lost either. */
async function holdAsItIs(context: Context, record: WorkspaceRecord, message: string): Promise<string> {
  try {
    const { id } = await snapshotWorkspace(context, {
      repository: record.repository,
      name: record.id,
      message,
    });
    return `; as it was it is in ${id}`;
  } catch (error) {
    if (!isCarrelError(error)) throw error;
    context.narrate(`warning: no snapshot of ${record.name} could be taken: ${error.message}`);
    return '';
  }
}

/** What stopped the work from getting to its branch; anything but an error of ours goes on. */
export function explainError(
  record: WorkspaceRecord,
  error: unknown,
  signal: AbortSignal | undefined,
): SettleFailure {
  if (signal?.aborted)
    return failWith('internal', 'cancelled before the work was committed', 'retry the task');
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
    default:
      return failWith(record.sandbox ? 'sandbox-failed' : 'internal', message, hint);
  }
}

function explainLoss({ name, branch }: WorkspaceRecord, error: CarrelError): SettleFailure {
  const committed = branch === null ? '' : `what was committed is on ${branch}: git log ${branch}; `;
  return failWith('workspace-lost', error.message, `${committed}see what is left with: carrel show ${name}`);
}
