import type { Task, TaskStatus } from '../../../domain/task/task.js';
import { toTask } from '../../../domain/task/task-state.js';
import type { Answer } from '../routes/own-answers.js';
import type { ServerContext } from '../server-context.js';

interface TaskFilter {
  /** The root of a repository, or its name in a request. */
  readonly repository?: string | undefined;
  readonly status?: TaskStatus | undefined;
  readonly limit?: number | undefined;
}

/** Also of repositories that requests may not name, and of those that they name by URL. */
export const answerList =
  (server: ServerContext): Answer =>
  async ({ input }, c) =>
    c.json(await listNewestTasks(server, input), 200);

/** Newest first. */
async function listNewestTasks(
  { app }: ServerContext,
  { repository, status, limit = 200 }: TaskFilter,
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
