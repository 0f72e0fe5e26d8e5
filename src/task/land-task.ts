import { carrelError, isCarrelError } from '../domain/error.js';
import type { LandResult } from '../domain/result.js';
import type { TaskRecord } from '../domain/task.js';
import type { WorkspaceRecord } from '../domain/workspace.js';
import type { Context } from '../operations/context.js';
import { removeRecord } from '../operations/down.js';
import { type LandInput, landWorkspace } from '../operations/land.js';
import { up } from '../operations/up.js';
import { dropLandedBranch } from './drop-landed-branch.js';
import { findDrift } from './find-drift.js';
import { findTask } from './find-task.js';
import { type EndedOptions, requireEnded } from './require-ended.js';
import { findTaskBase, requireTaskWork, type TaskWork } from './task-work.js';

export interface LandTaskInput extends Omit<LandInput, 'repository' | 'name'>, EndedOptions {
  /** Id of the task, or a unique beginning of it. */
  readonly id: string;
}

/**
 * Brings the work of a task that has ended to a branch of the repository: from its workspace when that is there, else
 * from its branch, which then goes as a workspace's does. TASK_BUSY, TASK_HAS_NO_WORK, and what landing a workspace may say.
 */
export async function landTask(context: Context, { id, ...input }: LandTaskInput): Promise<LandResult> {
  const task = requireEnded(await findTask(context, id), 'landed', input);
  const record =
    task.workspaceId === null ? undefined : await context.store.workspaces.find(task.workspaceId);
  if (record && !context.backends[record.backend].landing) throw isThereAlready(task);
  const result = record
    ? await landFromWorkspace(context, task, record, input)
    : await landBranch(context, task, input);
  await recordLanding(context, task, result);
  return result;
}

const isThereAlready = ({ id, repository }: TaskRecord): Error =>
  carrelError('TASK_HAS_NO_WORK', {
    id,
    problem: `it worked in ${repository} itself, and its work is there`,
  });

/**
 * What was validated is on the branch. Files that validating left beside it, such as the output of a build, are neither
 * landed nor in the way: they stay in the workspace.
 */
async function landFromWorkspace(
  context: Context,
  task: TaskRecord,
  record: WorkspaceRecord,
  input: Omit<LandTaskInput, 'id'>,
): Promise<LandResult> {
  try {
    return await landWorkspace(context, { ...input, repository: task.repository, name: record.id });
  } catch (error) {
    if (!isCarrelError(error, 'LAND_UNCOMMITTED') || !(await isAllOnBranch(context, task, record, input)))
      throw error;
    const landed = await landBranch(context, task, input);
    const files = (error.details.files as readonly string[]).join(', ');
    const left = `what is on no branch was not landed and stays in ${record.path}: ${files}`;
    return { ...landed, warnings: [...landed.warnings, left] };
  }
}

/**
 * Right after a validation everything that is not on the branch is the validation's; later a person may have changed
 * files, which then have to be committed or given up first. A message asks for all of it to be landed.
 */
async function isAllOnBranch(
  context: Context,
  { head }: TaskRecord,
  record: WorkspaceRecord,
  { isLastPart = false, message }: Omit<LandTaskInput, 'id'>,
): Promise<boolean> {
  if (head === null || message !== undefined) return false;
  const { moved, changedFiles, isElsewhere } = await findDrift(context, record, head);
  return moved === undefined && !isElsewhere && (isLastPart || changedFiles === 0);
}

/**
 * By a workspace that lives as long as this, because landing looks at attributes and filters where the files are. When
 * landing fails it goes again: it has nothing that the task's branch does not have.
 */
async function landBranch(
  context: Context,
  task: TaskRecord,
  input: Omit<LandTaskInput, 'id'>,
): Promise<LandResult> {
  const work = await requireTaskWork(context, task);
  const into = input.into ?? (await findTaskBase(context, task));
  const { repository } = task;
  const made = await up(context, {
    repository,
    name: task.workspaceName === null ? undefined : `${task.workspaceName}-landing`,
    branch: `${task.branch ?? task.id}-landing`,
    base: work.commit,
    isolation: 'worktree',
    setup: false,
    signal: input.signal,
  });
  const landing = { ...input, into, repository, name: made.id, keep: false };
  const landed = await landWorkspace(context, landing).catch(async error => {
    const record = await context.store.workspaces.find(made.id);
    if (record) await removeRecord(context, record, { accepted: {}, keepBranch: true, reason: 'land' });
    throw error;
  });
  // By the name that the user knows, not by that of the workspace that was made for this.
  const name = task.workspaceName ?? landed.name;
  const warnings = [...landed.warnings, ...(await dropBranch(context, task, work, landed))];
  return { ...landed, name, warnings };
}

/** The work has landed, whatever becomes of its branch. Gives warnings. */
async function dropBranch(
  context: Context,
  task: TaskRecord,
  work: TaskWork,
  { strategy }: LandResult,
): Promise<string[]> {
  // Squashed or replayed, its commits are on no other branch.
  if (strategy !== 'merge') return [];
  try {
    await dropLandedBranch(context, task, work);
    return [];
  } catch (error) {
    if (!isCarrelError(error)) throw error;
    return [`landed, but the branch ${work.branch} could not be deleted: ${error.message}`];
  }
}

async function recordLanding({ store }: Context, task: TaskRecord, result: LandResult): Promise<void> {
  const { id: taskId, repositoryId, workspaceId, status } = task;
  const { into, before, after } = result;
  const event = {
    type: 'task.landed',
    repositoryId,
    workspaceId,
    taskId,
    data: { into, before, after },
  } as const;
  const landed = { into, commit: after };
  await store.tasks.update(taskId, { statuses: [status] }, { landed }, [event]);
}
