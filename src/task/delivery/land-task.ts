import { carrelError, isCarrelError } from '../../domain/error/error.js';
import type { LandResult } from '../../domain/report/result.js';
import type { TaskRecord } from '../../domain/task/task.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import type { Context } from '../../operations/context.js';
import { listParts } from '../../operations/group/group-records.js';
import { type LandInput, landWorkspace } from '../../operations/workspace/land.js';
import { findDrift } from '../attempt/commit/find-drift.js';
import { flushTaskWebhooks } from '../log/task-webhooks.js';
import { findCurrentTask } from '../record/current-task.js';
import { findHead } from '../record/task-repositories.js';
import { findLanded } from './landing/find-landed.js';
import { landBranch } from './landing/land-branch.js';
import { type EndedOptions, requireEnded } from './require-ended.js';
import { findPartBases } from './task-branch.js';

export interface LandTaskInput extends Omit<LandInput, 'repository' | 'name'>, EndedOptions {
  /** Id of the task, or a unique prefix of it. */
  readonly id: string;
}

/**
 * Lands the work of a task that has ended on a branch of the repository: from its workspace if it exists, otherwise
 * from its branch, which is then removed like a workspace's branch. LAND_NOTHING when the branch has the work already, as
 * after a crash before the landing was recorded: then that is recorded. TASK_BUSY, TASK_HAS_NO_WORK, and the errors of landing a workspace.
 */
export async function landTask(context: Context, { id, ...input }: LandTaskInput): Promise<LandResult> {
  const task = requireEnded(await findCurrentTask(context, id), 'landed', input);
  const record =
    task.workspaceId === null ? undefined : await context.store.workspaces.find(task.workspaceId);
  if (record && !context.backends.of(record.backend).landing) throw isThereAlready(task);
  const landing = record ? landFromWorkspace(context, task, record, input) : landBranch(context, task, input);
  const result = await landing.catch(async error => {
    const found = await findLanded(context, task, input, error);
    if (found) await recordLanding(context, task, found);
    throw error;
  });
  await recordLanding(context, task, result);
  if (!input.isLastPart) await flushTaskWebhooks(context, task.id);
  return result;
}

const isThereAlready = ({ id, repository }: TaskRecord): Error =>
  carrelError('TASK_HAS_NO_WORK', {
    id,
    problem: `it worked in ${repository} itself, and its work is there`,
  });

/**
 * Validated work is on the branch. Files that validation left next to it, such as build output, are neither
 * landed nor an obstacle: they stay in the workspace.
 */
async function landFromWorkspace(
  context: Context,
  task: TaskRecord,
  record: WorkspaceRecord,
  input: Omit<LandTaskInput, 'id'>,
): Promise<LandResult> {
  try {
    const into = await findPartBases(context, task);
    return await landWorkspace(context, { ...input, ...into, repository: task.repository, name: record.id });
  } catch (error) {
    if (!isCarrelError(error, 'LAND_UNCOMMITTED') || !(await isAllOnBranch(context, task, record, input)))
      throw error;
    const landed = await landBranch(context, task, input);
    const files = (error.details.files as readonly string[]).join(', ');
    const left = `uncommitted files were not landed and stay in ${record.group ? 'the workspace' : record.path}: ${files}`;
    return { ...landed, warnings: [...landed.warnings, left] };
  }
}

/**
 * Right after a validation all uncommitted changes come from the validation; later the user may have changed
 * files, which then must be committed or discarded first. With a message, all of it is landed.
 */
async function isAllOnBranch(
  context: Pick<Context, 'store' | 'backends' | 'git' | 'sandboxes' | 'narrate'>,
  task: TaskRecord,
  record: WorkspaceRecord,
  { isLastPart = false, message }: Omit<LandTaskInput, 'id'>,
): Promise<boolean> {
  if (task.head === null || message !== undefined) return false;
  for (const part of await listParts(context, record)) {
    const head = part.id === record.id ? task.head : findHead(task, part);
    if (head === null) return false;
    const { moved, changedFiles, isElsewhere } = await findDrift(context, part, head);
    if (moved !== undefined || isElsewhere || (!isLastPart && changedFiles > 0)) return false;
  }
  return true;
}

async function recordLanding(
  { store }: Pick<Context, 'store'>,
  task: TaskRecord,
  result: Pick<LandResult, 'into' | 'before' | 'after'>,
): Promise<void> {
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
