import { carrelError } from '../../domain/error/error.js';
import type { TaskRecord } from '../../domain/task/task.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { readRef, resolveCommit } from '../../git/refs/refs.js';
import type { Context } from '../../operations/context.js';
import { locateRepository } from '../../operations/repository/locate-repository.js';

/** The work of a task: a branch and its commit. */
export interface TaskWork {
  readonly branch: string;
  readonly commit: string;
  /** The git directory that has it. */
  readonly gitDir: string;
}

/**
 * The branch's current commit, or its commit when the last stage ended if the branch was deleted and git still has the commit.
 * TASK_HAS_NO_WORK
 */
export async function requireTaskWork(
  context: Pick<Context, 'store' | 'backends' | 'git' | 'places' | 'narrate' | 'onStep'>,
  task: TaskRecord,
): Promise<TaskWork> {
  const { id, branch, head, base } = task;
  const { commonDir: gitDir } = await locateRepository(context, task.repository);
  if (branch === null || gitDir === null) throw noWork(id, 'it had no separate branch');
  const commit =
    (await readRef(context.git, { gitDir }, `refs/heads/${branch}`)) ??
    (head === null ? undefined : await resolveCommit(context.git, { gitDir }, head));
  if (commit === undefined) throw noWork(id, `its workspace and its branch ${branch} are gone`);
  if (commit === base) throw noWork(id, 'its stages have changed nothing');
  return { branch, commit, gitDir };
}

const noWork = (id: string, problem: string): Error => carrelError('TASK_HAS_NO_WORK', { id, problem });

/** The branch that the task's workspace was made from; undefined when that branch no longer exists. */
export async function findTaskBase(
  context: Pick<Context, 'store' | 'backends' | 'git' | 'places' | 'narrate' | 'onStep'>,
  task: TaskRecord,
): Promise<string | undefined> {
  const { commonDir: gitDir } = await locateRepository(context, task.repository);
  const ref = (await findBaseRef(context, task)) ?? task.plan.baseRef;
  if (ref === null || gitDir === null) return undefined;
  return (await readRef(context.git, { gitDir }, `refs/heads/${ref}`)) ? ref : undefined;
}

/** The workspace knows it, and so does its snapshot. */
async function findBaseRef(
  { store }: Pick<Context, 'store'>,
  { workspaceId }: TaskRecord,
): Promise<string | null> {
  if (workspaceId === null) return null;
  const record: Pick<WorkspaceRecord, 'base'> | undefined = await store.workspaces.find(workspaceId);
  const [snapshot] = record ? [record] : await store.snapshots.list({ workspaceId });
  return snapshot?.base.ref ?? null;
}
