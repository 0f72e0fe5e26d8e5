import { carrelError, isCarrelError } from '../../domain/error/error.js';
import type { Stage, Task, TaskPlan, TaskRecord } from '../../domain/task/task.js';
import { canMoveTask, resetStages } from '../../domain/task/task-state.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import type { Context } from '../../operations/context.js';
import { removeRecord } from '../../operations/removal/down.js';
import { detectBackend } from '../../operations/repository/locate-repository.js';
import type { TaskTable } from '../../store/store.js';
import { type PlannedWorkspace, withReservedWorkspace } from '../queue/reserve-workspace.js';
import { findTask } from '../record/find-task.js';
import { describeTask, type TaskQuery } from '../record/show-task.js';
import { taskEvent } from '../record/task-event.js';
import { isAbandonedTask, promiseTaker, type Taker } from '../record/task-owner.js';
import { nextWorkspaceName, taskWorkspaceName } from '../record/task-workspace-name.js';
import { planRetry, type RetryLimits } from './plan-retry.js';
import { recoverAbandonedTask } from './recover-abandoned-task.js';

/** Which task to retry, with new limits. */
export interface RetryInput extends TaskQuery, RetryLimits {
  readonly taker?: Taker;
}

type TaskPatch = Parameters<TaskTable['update']>[2];

/**
 * Puts a failed, cancelled or interrupted task back in the queue; finished stages stay finished. The caller
 * then executes it. TASK_BUSY for any other task, and when the work of its stages no longer exists.
 */
export async function retryTask(context: Context, input: RetryInput): Promise<Task> {
  const found = await findTask(context, input.id);
  const task = isAbandonedTask(found, context.now())
    ? ((await recoverAbandonedTask(context, found)) ?? (await findTask(context, found.id)))
    : found;
  if (!canMoveTask(task.status, 'waiting')) throw refuse(task);
  const patch: TaskPatch = {
    status: 'waiting',
    ...promiseTaker(context, input.taker),
    cancelRequestedAt: null,
    endedAt: null,
    failure: undefined,
    validation: [],
    stages: await replaceStageWorkspaces(context, task),
    ...(await replaceWorkspace(context, task, await planRetry(context, task, input))),
  };
  const expected = { statuses: [task.status], owner: null };
  const events = [taskEvent(task, 'task.retried', { from: task.status })];
  const waiting = await withPlace(context, { ...task, ...patch }, place =>
    context.store.tasks.update(task.id, expected, { ...patch, ...place }, events),
  );
  if (waiting) return describeTask(context, waiting);
  throw refuse(await findTask(context, task.id));
}

/** A task without a workspace reserves the place of one again; it gave up the last one when it ended. */
async function withPlace<T>(
  context: Context,
  task: TaskRecord,
  save: (place: Partial<PlannedWorkspace>) => Promise<T>,
): Promise<T> {
  const { id, description, repositoryId, workspaceId, workspaceName, workspace } = task;
  const records = await context.store.workspaces.list({ repositoryId });
  // Created by a process that was killed before it recorded that.
  const isThere = records.some(({ taskId, name }) => taskId === id && name === workspaceName);
  if (workspaceId !== null || isThere) return save({});
  const backend = context.backends[await detectBackend(task.repository)];
  const repository = await backend.locate(task.repository);
  const name = workspaceName ?? taskWorkspaceName(description, id);
  return withReservedWorkspace(context, repository, { name, workspace }, save);
}

const refuse = ({ id, status }: TaskRecord, problem = ''): Error =>
  carrelError('TASK_BUSY', { id, status: `${status}${problem}`, wanted: 'retried' });

/**
 * The user removed the workspace, or its agent deleted it: the task continues in a new one. Under another name,
 * because its branch may still exist, and from that branch.
 */
async function replaceWorkspace(context: Context, task: TaskRecord, plan: TaskPlan): Promise<TaskPatch> {
  const { workspaceId, workspaceName } = task;
  if (workspaceId === null || (await isUsable(context, await context.store.workspaces.find(workspaceId))))
    return { plan };
  const baseRef = await findWork(context, task);
  return {
    workspaceId: null,
    worktreePath: null,
    workspaceKept: false,
    workspaceName: workspaceName && nextWorkspaceName(workspaceName),
    // A branch that the user named is opened again.
    plan: baseRef === plan.branch ? plan : { ...plan, baseRef },
  };
}

/** The same for parallel stages that have not been joined. */
async function replaceStageWorkspaces(context: Context, task: TaskRecord): Promise<Stage[]> {
  const records = await context.store.workspaces.list({ repositoryId: task.repositoryId });
  const stages: Stage[] = [];
  for (const stage of resetStages(task.stages, task.failure)) {
    const { workspaceName, status } = stage;
    const isOpen = workspaceName !== null && status !== 'succeeded';
    const isLost =
      isOpen &&
      !(await isUsable(
        context,
        records.find(record => record.name === workspaceName),
      ));
    stages.push(isLost ? { ...stage, workspaceName: nextWorkspaceName(workspaceName) } : stage);
  }
  return stages;
}

/** A workspace whose directory is gone is given up; its branch stays. */
async function isUsable(context: Context, record: WorkspaceRecord | undefined): Promise<boolean> {
  if (!record || !(await isDirectoryGone(context, record))) return record !== undefined;
  await removeRecord(context, record, { accepted: {}, keepBranch: true, reason: 'down' });
  return false;
}

async function isDirectoryGone(
  context: Pick<Context, 'backends'>,
  record: WorkspaceRecord,
): Promise<boolean> {
  const look = { size: false, presenceOnly: true } as const;
  const [inspection] = await context.backends[record.backend].inspect([record], look);
  return inspection?.presence.kind === 'missing';
}

/** The branch of the task or, when that is gone, the commit that it was at; before any work, the task's base. */
async function findWork(context: Pick<Context, 'backends'>, task: TaskRecord): Promise<string | null> {
  // Its work is in the user's own directory.
  if (task.isolation.effective === 'shared') return task.plan.baseRef;
  const backend = context.backends[await detectBackend(task.repository)];
  const repository = await backend.locate(task.repository);
  for (const base of [task.branch, task.head]) {
    if (base !== null && (await isThere(() => backend.resolve(repository, { base })))) return base;
  }
  if (task.stages.every(stage => stage.status !== 'succeeded')) return task.plan.baseRef;
  throw refuse(task, `, and neither its workspace nor its branch ${task.branch ?? ''} exists`);
}

async function isThere(resolve: () => Promise<unknown>): Promise<boolean> {
  try {
    await resolve();
    return true;
  } catch (error) {
    if (isCarrelError(error, 'UNKNOWN_BASE')) return false;
    throw error;
  }
}
