import { carrelError, isCarrelError } from '../../domain/error/error.js';
import type { LandResult } from '../../domain/report/result.js';
import type { TaskRecord } from '../../domain/task/task.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import type { Context } from '../../operations/context.js';
import { listParts } from '../../operations/group/group-records.js';
import { removeRecord } from '../../operations/removal/down.js';
import { type LandInput, landWorkspace } from '../../operations/workspace/land.js';
import { up } from '../../operations/workspace/up.js';
import { findDrift } from '../attempt/commit/find-drift.js';
import { flushTaskWebhooks } from '../log/task-webhooks.js';
import { findTask } from '../record/find-task.js';
import { findHead } from '../record/task-repositories.js';
import { deleteLandedBranch } from './delete-landed-branch.js';
import { type EndedOptions, requireEnded } from './require-ended.js';
import { findTaskBase, listPlaces, listTaskWork, requireTaskWork, type TaskWork } from './task-branch.js';

export interface LandTaskInput extends Omit<LandInput, 'repository' | 'name'>, EndedOptions {
  /** Id of the task, or a unique prefix of it. */
  readonly id: string;
}

/**
 * Lands the work of a task that has ended on a branch of the repository: from its workspace if it exists, otherwise
 * from its branch, which is then removed like a workspace's branch. TASK_BUSY, TASK_HAS_NO_WORK, and the errors of landing a workspace.
 */
export async function landTask(context: Context, { id, ...input }: LandTaskInput): Promise<LandResult> {
  const task = requireEnded(await findTask(context, id), 'landed', input);
  const record =
    task.workspaceId === null ? undefined : await context.store.workspaces.find(task.workspaceId);
  if (record && !context.backends.of(record.backend).landing) throw isThereAlready(task);
  const result = record
    ? await landFromWorkspace(context, task, record, input)
    : await landBranch(context, task, input);
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

/** With several repositories, each has its own branch to land on. */
async function findPartBases(context: Context, task: TaskRecord): Promise<Pick<LandInput, 'intoParts'>> {
  const bases: Record<string, string> = {};
  for (const { alias, ...place } of listPlaces(task)) {
    const base = alias === null ? undefined : await findTaskBase(context, task, { alias, ...place });
    if (alias !== null && base !== undefined) bases[alias] = base;
  }
  return { intoParts: bases };
}

/**
 * Uses a temporary workspace, because landing reads attributes and filters where the files are. If
 * landing fails it is removed: it has nothing that the task's branch does not have.
 */
async function landBranch(
  context: Context,
  task: TaskRecord,
  input: Omit<LandTaskInput, 'id'>,
): Promise<LandResult> {
  await requireTaskWork(context, task);
  const [work, ...others] = (await listTaskWork(context, task)) as [TaskWork, ...TaskWork[]];
  const own = work.alias === null ? await findTaskBase(context, task, work) : undefined;
  const into = { into: input.into ?? own, ...(await findPartBases(context, task)) };
  const { repository } = task;
  const made = await up(context, {
    repository,
    name: task.workspaceName === null ? undefined : `${task.workspaceName}-landing`,
    branch: `${task.branch ?? task.id}-landing`,
    base: work.commit,
    parts: others.map(({ alias, repository: path, commit: base }) => ({ alias: alias ?? '', path, base })),
    isolation: 'worktree',
    setup: false,
    signal: input.signal,
  });
  const landing = { ...input, ...into, repository, name: made.id, keep: false };
  const landed = await landWorkspace(context, landing).catch(async error => {
    const record = await context.store.workspaces.find(made.id);
    if (record) await removeRecord(context, record, { accepted: {}, keepBranch: true, reason: 'land' });
    throw error;
  });
  // Reported under the name that the user knows, not that of the temporary workspace.
  const name = task.workspaceName ?? landed.name;
  const warnings = [...landed.warnings, ...(await deleteMergedBranches(context, [work, ...others], landed))];
  return { ...landed, name, warnings };
}

/** The work has landed, even if its branch cannot be deleted. Returns warnings. */
async function deleteMergedBranches(
  context: Pick<Context, 'git'>,
  works: readonly TaskWork[],
  { strategy }: LandResult,
): Promise<string[]> {
  // After a squash or rebase, its commits are on no other branch.
  if (strategy !== 'merge') return [];
  const warnings: string[] = [];
  for (const work of works) {
    try {
      await deleteLandedBranch(context, work);
    } catch (error) {
      if (!isCarrelError(error)) throw error;
      warnings.push(`landed, but cannot delete the branch ${work.branch}: ${error.message}`);
    }
  }
  return warnings;
}

async function recordLanding(
  { store }: Pick<Context, 'store'>,
  task: TaskRecord,
  result: LandResult,
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
