import { carrelError } from '../../domain/error/error.js';
import type { TaskRecord } from '../../domain/task/task.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { readRef, resolveCommit } from '../../git/refs/refs.js';
import type { Context } from '../../operations/context.js';
import { locateRepository } from '../../operations/repository/locate-repository.js';

type TaskContext = Pick<Context, 'store' | 'backends' | 'git' | 'places' | 'narrate' | 'onStep'>;

/** One of the repositories of a task, as the task knows it. */
export interface TaskPlace {
  /** Null for a task with one repository. */
  readonly alias: string | null;
  readonly repository: string;
  readonly base: string | null;
  readonly head: string | null;
}

/** The work of a task in one repository: a branch and its commit. */
export interface TaskWork extends TaskPlace {
  readonly branch: string;
  readonly commit: string;
  /** The git directory that has it. */
  readonly gitDir: string;
}

/** Its own repository first. */
export const listPlaces = ({ repositories, repository, base, head }: TaskRecord): readonly TaskPlace[] =>
  repositories ?? [{ alias: null, repository, base, head }];

/**
 * The branch's current commit, or its commit when the last stage ended if the branch was deleted and git still has the commit; in each
 * repository that the task has changed. TASK_HAS_NO_WORK
 */
export async function requireTaskWork(
  context: TaskContext,
  task: TaskRecord,
): Promise<readonly [TaskWork, ...TaskWork[]]> {
  const all = await listTaskWork(context, task);
  const [first, ...others] = all.filter(({ commit, base }) => commit !== base);
  if (!first) throw noWork(task.id, 'its stages have changed nothing');
  return [first, ...others];
}

/** In every repository, changed or not. TASK_HAS_NO_WORK */
export async function listTaskWork(context: TaskContext, task: TaskRecord): Promise<TaskWork[]> {
  const found: TaskWork[] = [];
  for (const place of listPlaces(task)) found.push(await findWork(context, task, place));
  return found;
}

async function findWork(
  context: TaskContext,
  { id, branch }: TaskRecord,
  place: TaskPlace,
): Promise<TaskWork> {
  const { commonDir: gitDir } = await locateRepository(context, place.repository);
  if (branch === null || gitDir === null) throw noWork(id, 'it had no separate branch');
  const commit =
    (await readRef(context.git, { gitDir }, `refs/heads/${branch}`)) ??
    (place.head === null ? undefined : await resolveCommit(context.git, { gitDir }, place.head));
  const where = place.alias === null ? '' : ` in ${place.alias}`;
  if (commit === undefined) throw noWork(id, `its workspace and its branch ${branch}${where} are gone`);
  return { ...place, branch, commit, gitDir };
}

const noWork = (id: string, problem: string): Error => carrelError('TASK_HAS_NO_WORK', { id, problem });

/** The branch that the task's workspace was made from; undefined when that branch no longer exists. */
export async function findTaskBase(
  context: TaskContext,
  task: TaskRecord,
  { alias, repository }: TaskPlace,
): Promise<string | undefined> {
  const { commonDir: gitDir } = await locateRepository(context, repository);
  const ref = alias === null ? await findOwnBaseRef(context, task) : findPartBaseRef(task, alias);
  if (ref === null || gitDir === null) return undefined;
  return (await readRef(context.git, { gitDir }, `refs/heads/${ref}`)) ? ref : undefined;
}

/** With several repositories, each has its own branch to land on. */
export async function findPartBases(
  context: TaskContext,
  task: TaskRecord,
): Promise<{ readonly intoParts: Readonly<Record<string, string>> }> {
  const bases: Record<string, string> = {};
  for (const { alias, ...place } of listPlaces(task)) {
    const base = alias === null ? undefined : await findTaskBase(context, task, { alias, ...place });
    if (alias !== null && base !== undefined) bases[alias] = base;
  }
  return { intoParts: bases };
}

const findPartBaseRef = ({ repositories = [] }: TaskRecord, alias: string): string | null =>
  repositories.find(each => each.alias === alias)?.baseRef ?? null;

/** The workspace knows it, and so does its snapshot. */
async function findOwnBaseRef(
  { store }: Pick<Context, 'store'>,
  { workspaceId, plan }: TaskRecord,
): Promise<string | null> {
  if (workspaceId === null) return plan.baseRef;
  const record: Pick<WorkspaceRecord, 'base'> | undefined = await store.workspaces.find(workspaceId);
  const [snapshot] = record ? [record] : await store.snapshots.list({ workspaceId });
  return snapshot?.base.ref ?? plan.baseRef;
}
