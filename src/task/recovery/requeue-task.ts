import { carrelError, isCarrelError } from '../../domain/error/error.js';
import type { PlannedRepository, Stage, TaskPlan, TaskRecord } from '../../domain/task/task.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import type { Context } from '../../operations/context.js';
import { listParts } from '../../operations/group/group-records.js';
import { removeRecord } from '../../operations/removal/down.js';
import { detectBackend } from '../../operations/repository/locate-repository.js';
import type { TaskTable } from '../../store/store.js';
import { commitMessage } from '../attempt/commit/commit-message.js';
import { commitWork } from '../attempt/commit/commit-work.js';
import { type PlannedWorkspace, withReservedWorkspace } from '../queue/reserve-workspace.js';
import { promiseTaker, type Taker } from '../record/task-owner.js';
import { findHead } from '../record/task-repositories.js';
import { nextWorkspaceName, taskWorkspaceName } from '../record/task-workspace-name.js';

export type TaskPatch = Parameters<TaskTable['update']>[2];

export interface Requeued {
  readonly stages: readonly Stage[];
  readonly plan: TaskPlan;
  readonly taker: Taker;
}

/**
 * What makes a task wait for its turn again, in the workspaces that it had. TASK_BUSY when the work of its stages no
 * longer exists.
 */
export async function requeueTask(
  context: Context,
  task: TaskRecord,
  { stages, plan, taker }: Requeued,
): Promise<TaskPatch> {
  return {
    status: 'waiting',
    ...promiseTaker(context, taker),
    endedAt: null,
    failure: undefined,
    validation: [],
    ...(task.fleet && { fleet: { ...task.fleet, run: null, host: null } }),
    stages: await replaceStageWorkspaces(context, task, stages),
    ...(await replaceWorkspace(context, task, plan)),
  };
}

/** A task without a workspace reserves the place of one again; it gave up the last one when it ended. */
export async function reservePlace<T>(
  context: Pick<Context, 'store' | 'backends' | 'places' | 'environment' | 'loadConfig'>,
  task: TaskRecord,
  save: (place: Partial<PlannedWorkspace>) => Promise<T>,
): Promise<T> {
  const { id, repositoryId, workspaceId, workspaceName, workspace, plan } = task;
  if (plan.fleet) return save({});
  const records = await context.store.workspaces.list({ repositoryId });
  // Created by a process that was killed before it recorded that.
  const isThere = records.some(({ taskId, name }) => taskId === id && name === workspaceName);
  if (workspaceId !== null || isThere) return save({});
  const backend = context.backends.of(await detectBackend(task.repository));
  const repository = await backend.locate(task.repository);
  const name = workspaceName ?? taskWorkspaceName(task);
  return withReservedWorkspace(context, repository, { name, workspace }, save);
}

/**
 * The user removed the workspace, or its agent deleted it: the task continues in a new one. Under another name,
 * because its branch may still exist, and from that branch.
 */
async function replaceWorkspace(context: Context, task: TaskRecord, plan: TaskPlan): Promise<TaskPatch> {
  const { workspaceId, workspaceName } = task;
  if (
    workspaceId === null ||
    (await isUsable(context, task, await context.store.workspaces.find(workspaceId)))
  )
    return { plan };
  const { repository, head } = task;
  const baseRef = await findWork(context, task, { repository, head, baseRef: plan.baseRef });
  return {
    workspaceId: null,
    worktreePath: null,
    workspaceKept: false,
    workspaceName: workspaceName && nextWorkspaceName(workspaceName),
    // A branch that the user named is opened again.
    plan: {
      ...plan,
      ...(baseRef !== plan.branch && { baseRef }),
      ...(await replaceParts(context, task, plan)),
    },
  };
}

/** The other repositories of the task, each from its own work. */
async function replaceParts(
  context: Pick<Context, 'backends'>,
  task: TaskRecord,
  plan: TaskPlan,
): Promise<Pick<TaskPlan, 'repositories'>> {
  if (!plan.repositories) return {};
  const repositories: PlannedRepository[] = [];
  for (const planned of plan.repositories) {
    const { path: repository, base: baseRef } = planned;
    const head = task.repositories?.find(({ alias }) => alias === planned.alias)?.head ?? null;
    const base = await findWork(context, task, { repository, head, baseRef });
    repositories.push(base === plan.branch ? planned : { ...planned, base });
  }
  return { repositories };
}

/** The same for parallel stages that have not been joined. */
async function replaceStageWorkspaces(
  context: Context,
  task: TaskRecord,
  given: readonly Stage[],
): Promise<Stage[]> {
  const records = await context.store.workspaces.list({ repositoryId: task.repositoryId });
  const stages: Stage[] = [];
  for (const stage of given) {
    const { workspaceName, status } = stage;
    const isOpen = workspaceName !== null && status !== 'succeeded';
    const isLost =
      isOpen &&
      !(await isUsable(
        context,
        task,
        records.find(record => record.name === workspaceName),
      ));
    stages.push(isLost ? { ...stage, workspaceName: nextWorkspaceName(workspaceName) } : stage);
  }
  return stages;
}

/** A workspace whose directory is gone, in any of its repositories, is given up; its branches stay. */
async function isUsable(
  context: Context,
  task: TaskRecord,
  record: WorkspaceRecord | undefined,
): Promise<boolean> {
  if (!record) return false;
  const parts = await listParts(context, record);
  const gone = new Set<WorkspaceRecord>();
  for (const part of parts) if (await isDirectoryGone(context, part)) gone.add(part);
  if (gone.size === 0) return true;
  for (const part of parts.filter(each => !gone.has(each))) await commitLeft(context, task, part);
  await removeRecord(context, record, { accepted: {}, keepBranch: true, reason: 'down' });
  return false;
}

/** What is not committed in the other parts moves to the new workspace with the branch. */
async function commitLeft(context: Context, task: TaskRecord, part: WorkspaceRecord): Promise<void> {
  const what = 'changes from before its workspace was replaced';
  const message = commitMessage({ task, stage: null, agent: null, words: null, what });
  const committed = await commitWork(context, part, { before: findHead(task, part), message });
  if (committed.kind === 'failed') context.narrate(`warning: ${committed.failure.message}`);
}

async function isDirectoryGone(
  context: Pick<Context, 'backends'>,
  record: WorkspaceRecord,
): Promise<boolean> {
  const look = { size: false, presenceOnly: true } as const;
  const [inspection] = await context.backends.of(record.backend).inspect([record], look);
  return inspection?.presence.kind === 'missing';
}

interface WorkPlace {
  readonly repository: string;
  readonly head: string | null;
  readonly baseRef: string | null;
}

/** The branch of the task or, when that is gone, the commit that it was at; before any work, the task's base. */
async function findWork(
  context: Pick<Context, 'backends'>,
  task: TaskRecord,
  { repository: path, head, baseRef }: WorkPlace,
): Promise<string | null> {
  // Its work is in the user's own directory.
  if (task.isolation.effective === 'shared') return baseRef;
  const backend = context.backends.of(await detectBackend(path));
  const repository = await backend.locate(path);
  for (const base of [task.branch, head]) {
    if (base !== null && (await isThere(() => backend.resolve(repository, { base })))) return base;
  }
  if (task.stages.every(stage => stage.status !== 'succeeded')) return baseRef;
  throw carrelError('TASK_BUSY', {
    id: task.id,
    status: `${task.status}, and neither its workspace nor its branch ${task.branch ?? ''} exists`,
    wanted: 'resumed',
  });
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
