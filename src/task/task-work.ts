import { carrelError } from '../domain/error.js';
import type { TaskRecord } from '../domain/task.js';
import type { WorkspaceRecord } from '../domain/workspace.js';
import { readRef, resolveCommit } from '../git/refs.js';
import type { Context } from '../operations/context.js';
import { locateRepository } from '../operations/locate-repository.js';

/** What a task has to show: a branch, and the commit that it is at. */
export interface TaskWork {
  readonly branch: string;
  readonly commit: string;
  /** The git directory that has it. */
  readonly gitDir: string;
}

/**
 * Where the branch is now, or was when the last stage ended if somebody has deleted it and git still has the commit.
 * TASK_HAS_NO_WORK
 */
export async function requireTaskWork(context: Context, task: TaskRecord): Promise<TaskWork> {
  const { id, branch, head, base } = task;
  const { commonDir: gitDir } = await locateRepository(context, task.repository);
  if (branch === null || gitDir === null) throw noWork(id, 'it had no branch of its own');
  const commit =
    (await readRef(context.git, { gitDir }, `refs/heads/${branch}`)) ??
    (head === null ? undefined : await resolveCommit(context.git, { gitDir }, head));
  if (commit === undefined) throw noWork(id, `its workspace and its branch ${branch} are gone`);
  if (commit === base) throw noWork(id, 'its stages have changed nothing');
  return { branch, commit, gitDir };
}

const noWork = (id: string, problem: string): Error => carrelError('TASK_HAS_NO_WORK', { id, problem });

/** The branch that the task's workspace was made from; undefined when it was made from none that is still there. */
export async function findTaskBase(context: Context, task: TaskRecord): Promise<string | undefined> {
  const { commonDir: gitDir } = await locateRepository(context, task.repository);
  const ref = (await findBaseRef(context, task)) ?? task.plan.baseRef;
  if (ref === null || gitDir === null) return undefined;
  return (await readRef(context.git, { gitDir }, `refs/heads/${ref}`)) ? ref : undefined;
}

/** The workspace knows it, and so does its snapshot. */
async function findBaseRef({ store }: Context, { workspaceId }: TaskRecord): Promise<string | null> {
  if (workspaceId === null) return null;
  const record: Pick<WorkspaceRecord, 'base'> | undefined = await store.workspaces.find(workspaceId);
  const [snapshot] = record ? [record] : await store.snapshots.list({ workspaceId });
  return snapshot?.base.ref ?? null;
}
