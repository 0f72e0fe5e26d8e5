import { isSameProcess } from '../../domain/process-identity.js';
import type { TaskRecord } from '../../domain/task/task.js';
import { UNFINISHED_STATUSES } from '../../domain/task/task-state.js';
import { createRisk, type Risk } from '../../domain/workspace/risk.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import type { Context } from '../context.js';
import { findFirstPart } from '../group/group-records.js';

/**
 * Whether the workspace belongs to the task, to one of its stages or to its landing. Names are in the task's record before the workspace is created;
 * a later workspace of the same name is not the task's. With several repositories the first part stands for all.
 */
export function isOfTask(task: TaskRecord, { id, name, repositoryId, taskId }: WorkspaceRecord): boolean {
  if (task.workspaceId === id) return true;
  const names = task.stages.map(stage => stage.workspaceName);
  if (task.workspaceId === null) names.push(task.workspaceName);
  return task.repositoryId === repositoryId && (taskId === task.id || names.includes(name));
}

export interface TaskRiskOptions {
  /** The caller is the process that executes the task. */
  readonly forOwnTask?: boolean | undefined;
}

/** A task that works in it now, or will when its turn comes or the user approves. */
export async function findTaskRisk(
  { store, self }: Pick<Context, 'store' | 'self'>,
  record: WorkspaceRecord,
  { forOwnTask = false }: TaskRiskOptions = {},
): Promise<Risk[]> {
  const first = await findFirstPart({ store }, record);
  const { repositoryId } = first;
  const active = await store.tasks.list({ repositoryId, statuses: UNFINISHED_STATUSES });
  const isOwn = ({ owner }: TaskRecord) => forOwnTask && owner !== null && isSameProcess(owner, self);
  const task = active.find(each => isOfTask(each, first) && !isOwn(each));
  return task ? [createRisk('leased', `its task ${task.id} is ${task.status}`, [task.id])] : [];
}
