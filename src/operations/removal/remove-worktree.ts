import { carrelError } from '../../domain/error/error.js';
import type { RemovalResult } from '../../domain/report/result.js';
import type { TaskRecord } from '../../domain/task/task.js';
import { isUnfinished } from '../../domain/task/task-state.js';
import type { AcceptedRisks } from '../../domain/workspace/risk.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import type { Context } from '../context.js';
import { findFirstPart } from '../group/group-records.js';
import { isOfTask } from '../guard/task-of-workspace.js';
import { removeRecord } from './down.js';

/**
 * A workspace by its id or by the id of its task, in any repository; undefined for another word. WORKTREE_IN_USE for a
 * task that has yet to create it.
 */
export async function findWorktree(
  { store }: Pick<Context, 'store'>,
  id: string,
): Promise<WorkspaceRecord | undefined> {
  const task = await store.tasks.find(id);
  if (task && task.workspaceId === null && isUnfinished(task.status))
    throw carrelError('WORKTREE_IN_USE', { id, taskId: id, status: task.status });
  return store.workspaces.find(task?.workspaceId ?? id);
}

/**
 * As when a task cleans up itself, the branch is kept while it has commits that exist nowhere else, unless they are
 * discarded. WORKTREE_IN_USE while its task is active, REMOVAL_REFUSED with the risks.
 */
export async function removeWorktree(
  context: Context,
  record: WorkspaceRecord,
  accepted: AcceptedRisks,
  signal?: AbortSignal,
): Promise<RemovalResult> {
  const task = await findTaskOf(context, record);
  if (task && isUnfinished(task.status))
    throw carrelError('WORKTREE_IN_USE', { id: record.id, taskId: task.id, status: task.status });
  const keepBranch = task !== undefined && !accepted.discardCommits;
  return removeRecord(context, record, { accepted, keepBranch, reason: 'down', signal });
}

async function findTaskOf(
  { store }: Pick<Context, 'store'>,
  record: WorkspaceRecord,
): Promise<TaskRecord | undefined> {
  const first = await findFirstPart({ store }, record);
  const tasks = await store.tasks.list({ repositoryId: first.repositoryId });
  return tasks.findLast(task => isOfTask(task, first));
}
