import { isCarrelError } from '../../domain/error/error.js';
import type { TaskRecord } from '../../domain/task/task.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import type { Context } from '../../operations/context.js';
import { isOfTask } from '../../operations/guard/task-of-workspace.js';
import { removeRecord } from '../../operations/removal/down.js';

export interface WorkspaceRemoval {
  /** Whether the task's own workspace is still there. */
  readonly kept: boolean;
  readonly warnings: readonly string[];
}

/**
 * Removes the workspaces of a task that has ended, unless they are kept for inspection: those of a success with
 * `cleanupOnComplete`, others without `preserveOnFailure`. They are removed like any other, with a snapshot; the branch stays
 * while its commits are not landed. After a success nothing should be uncommitted: if something is, the workspace is kept. After
 * a failure the snapshot has it.
 */
export async function removeTaskWorkspaces(context: Context, task: TaskRecord): Promise<WorkspaceRemoval> {
  const all = await context.store.workspaces.list({ repositoryId: task.repositoryId });
  const records = all.filter(record => isOfTask(task, record));
  const isThere = records.some(({ id }) => id === task.workspaceId);
  if (!mayBeRemoved(task)) return { kept: isThere, warnings: [] };
  const outcomes: Outcome[] = [];
  for (const record of records) {
    // The task may have been retried by now, in the same workspace.
    if (await isRetried(context, task)) return { kept: isThere, warnings: [] };
    outcomes.push(await remove(context, task, record));
  }
  const kept = outcomes.some(outcome => outcome.isKept && outcome.record.id === task.workspaceId);
  if (task.workspaceKept && !kept) await recordRemoval(context, task);
  return { kept, warnings: outcomes.flatMap(outcome => outcome.warnings) };
}

function mayBeRemoved({ status, plan }: TaskRecord): boolean {
  if (status === 'succeeded') return plan.cleanupOnComplete;
  return (status === 'failed' || status === 'cancelled') && !plan.preserveOnFailure;
}

async function isRetried({ store }: Pick<Context, 'store'>, { id, status }: TaskRecord): Promise<boolean> {
  const present = await store.tasks.find(id);
  return present !== undefined && present.status !== status;
}

interface Outcome {
  readonly record: WorkspaceRecord;
  readonly isKept: boolean;
  readonly warnings: readonly string[];
}

async function remove(context: Context, { status }: TaskRecord, record: WorkspaceRecord): Promise<Outcome> {
  const accepted = status === 'succeeded' ? {} : { snapshotChanges: true };
  try {
    const { warnings } = await removeRecord(context, record, { accepted, keepBranch: true, reason: 'down' });
    return { record, isKept: false, warnings };
  } catch (error) {
    if (!isCarrelError(error)) throw error;
    // Another process was first.
    if (error.code === 'WORKSPACE_NOT_FOUND') return { record, isKept: false, warnings: [] };
    return { record, isKept: true, warnings: [`${error.message} (${error.hint})`] };
  }
}

async function recordRemoval({ store }: Pick<Context, 'store'>, task: TaskRecord): Promise<void> {
  const { id: taskId, repositoryId, workspaceId, workspaceName: name, status } = task;
  const event = {
    type: 'task.workspace-removed',
    repositoryId,
    workspaceId,
    taskId,
    data: { name },
  } as const;
  await store.tasks.update(taskId, { statuses: [status] }, { workspaceKept: false }, [event]);
}
