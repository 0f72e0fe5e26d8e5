import type { Task, TaskRecord } from '../../domain/task/task.js';
import { pushBranch } from '../../git/history/push.js';
import type { Context } from '../../operations/context.js';
import { requireImportedCommits } from '../../operations/sandbox/import-commits.js';
import { flushTaskWebhooks } from '../log/task-webhooks.js';
import { findTask } from '../record/find-task.js';
import { openPullRequest, requireGh } from './pull-request.js';
import { type EndedOptions, requireEnded } from './require-ended.js';
import { findTaskBase, requireTaskWork } from './task-branch.js';

export interface PublishTaskInput extends EndedOptions {
  /** Id of the task, or a unique prefix of it. */
  readonly id: string;
  /** Defaults to the task's remote, otherwise origin. */
  readonly remote?: string | undefined;
  readonly pullRequest?: boolean | undefined;
  readonly draft?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

export type Published = NonNullable<Task['published']>;

/**
 * Pushes the branch of a task that has ended, and if requested creates a pull request, or finds the open one. Known
 * problems are reported before anything is pushed. TASK_BUSY, TASK_HAS_NO_WORK, UNKNOWN_REMOTE, PUSH_REFUSED,
 * GH_MISSING, PULL_REQUEST_FAILED.
 */
export async function publishTask(context: Context, input: PublishTaskInput): Promise<Published> {
  const published = await publish(context, input);
  if (!input.isLastPart) await flushTaskWebhooks(context, (await findTask(context, input.id)).id);
  return published;
}

async function publish(context: Context, input: PublishTaskInput): Promise<Published> {
  const { draft = false, signal } = input;
  const task = requireEnded(await findTask(context, input.id), 'published', input);
  const remote = input.remote ?? task.plan.publish?.remote ?? 'origin';
  const gh = input.pullRequest ? requireGh(context) : undefined;
  await importLateCommits(context, task, signal);
  const { branch, commit, gitDir } = await requireTaskWork(context, task);
  await pushBranch(context.git, { gitDir, root: task.repository, remote, branch, commit, signal });
  const pushed = await record(context, task, { remote, pullRequest: task.published?.pullRequest ?? null });
  if (!gh) return pushed;
  const base = await findTaskBase(context, task);
  const pullRequest = await openPullRequest(context, task, { gh, branch, base, draft, signal });
  return record(context, task, { remote, pullRequest });
}

/** Imports commits made inside since the last stage ended. */
async function importLateCommits(
  context: Pick<Context, 'store' | 'sandboxes'>,
  { workspaceId }: TaskRecord,
  signal: AbortSignal | undefined,
): Promise<void> {
  const record = workspaceId === null ? undefined : await context.store.workspaces.find(workspaceId);
  if (record) await requireImportedCommits(context, record, signal);
}

async function record(
  { store }: Pick<Context, 'store'>,
  task: TaskRecord,
  published: Published,
): Promise<Published> {
  const { id: taskId, repositoryId, workspaceId, status } = task;
  const event = { type: 'task.published', repositoryId, workspaceId, taskId, data: published } as const;
  await store.tasks.update(taskId, { statuses: [status] }, { published }, [event]);
  return published;
}
