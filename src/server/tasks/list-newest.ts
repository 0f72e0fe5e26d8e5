import type { Task, TaskStatus } from '../../domain/task.js';
import { toTask } from '../../domain/task-state.js';
import type { ServerContext } from '../server-context.js';

export interface TaskFilter {
  /** The root of a repository, or what a request named it by. */
  readonly repository?: string | undefined;
  readonly status?: TaskStatus | undefined;
  readonly limit: number;
}

/** Tasks of all repositories unless one is named, newest first. */
export async function listNewestTasks(
  { app }: ServerContext,
  { repository, status, limit }: TaskFilter,
): Promise<Task[]> {
  const statuses = status === undefined ? undefined : [status];
  const newest = repository === undefined ? limit : undefined;
  const records = await app.store.tasks.list({ statuses, newest });
  const wanted = records.filter(
    ({ repository: root, plan }) =>
      repository === undefined || root === repository || plan.request?.targetRepository === repository,
  );
  const present = new Set((await app.store.workspaces.list()).map(({ id }) => id));
  return wanted
    .toReversed()
    .slice(0, limit)
    .map(record => ({ ...toTask(record), workspaceKept: present.has(record.workspaceId ?? '') }));
}
