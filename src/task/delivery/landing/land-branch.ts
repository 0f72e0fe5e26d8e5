import { isCarrelError } from '../../../domain/error/error.js';
import type { LandResult } from '../../../domain/report/result.js';
import type { TaskRecord } from '../../../domain/task/task.js';
import type { Context } from '../../../operations/context.js';
import { removeRecord } from '../../../operations/removal/down.js';
import { type LandInput, landWorkspace } from '../../../operations/workspace/land.js';
import { up } from '../../../operations/workspace/up.js';
import { findPartBases, findTaskBase, listTaskWork, requireTaskWork, type TaskWork } from '../task-branch.js';
import { deleteLandedBranch } from './delete-landed-branch.js';

/**
 * Uses a temporary workspace, because landing reads attributes and filters where the files are. If
 * landing fails it is removed: it has nothing that the task's branch does not have.
 */
export async function landBranch(
  context: Context,
  task: TaskRecord,
  input: Omit<LandInput, 'repository' | 'name'>,
): Promise<LandResult> {
  await requireTaskWork(context, task);
  const [work, ...others] = (await listTaskWork(context, task)) as [TaskWork, ...TaskWork[]];
  const own = work.alias === null ? await findTaskBase(context, task, work) : undefined;
  const into = { into: input.into ?? own, ...(await findPartBases(context, task)) };
  const { repository } = task;
  await removeLeftover(context, task);
  const made = await up(context, {
    repository,
    name: task.workspaceName === null ? undefined : `${task.workspaceName}-landing`,
    branch: temporaryBranch(task),
    base: work.commit,
    parts: others.map(({ alias, repository: path, commit: base }) => ({ alias: alias ?? '', path, base })),
    isolation: 'worktree',
    setup: false,
    // After a crash this says whose it is.
    reserved: { taskId: task.id },
    signal: input.signal,
  });
  const landing = { ...input, ...into, repository, name: made.id, keep: false, forOwnTask: true };
  const landed = await landWorkspace(context, landing).catch(async error => {
    await removeTemporary(context, made.id);
    throw error;
  });
  // Reported under the name that the user knows, not that of the temporary workspace.
  const name = task.workspaceName ?? landed.name;
  const warnings = [...landed.warnings, ...(await deleteMergedBranches(context, [work, ...others], landed))];
  return { ...landed, name, warnings };
}

const temporaryBranch = ({ branch, id }: TaskRecord): string => `${branch ?? id}-landing`;

/** The temporary workspace of a process that was killed; one that a process still works with stays. REMOVAL_REFUSED */
async function removeLeftover(context: Context, task: TaskRecord): Promise<void> {
  const records = await context.store.workspaces.list({ repositoryId: task.repositoryId });
  const left = records.find(({ taskId, branch }) => taskId === task.id && branch === temporaryBranch(task));
  if (!left) return;
  const isInUse = (await context.store.journal.list()).some(({ workspaceId }) => workspaceId === left.id);
  if (!isInUse) await removeTemporary(context, left.id);
}

/** Like any other workspace: only when nothing is lost, and with a snapshot. */
async function removeTemporary(context: Context, id: string): Promise<void> {
  const record = await context.store.workspaces.find(id);
  const order = { accepted: {}, keepBranch: true, reason: 'land', forOwnTask: true } as const;
  if (record) await removeRecord(context, record, order);
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
