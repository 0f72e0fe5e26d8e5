import type { Task, TaskRecord } from '../../domain/task/task.js';
import { pushBranch, requireRemote } from '../../git/history/push.js';
import type { Context } from '../../operations/context.js';
import { requireImportedCommits } from '../../operations/sandbox/import-commits.js';
import { flushTaskWebhooks } from '../log/task-webhooks.js';
import { findCurrentTask } from '../record/current-task.js';
import { findTask } from '../record/find-task.js';
import { openPullRequest, requireGh } from './pull-request.js';
import { type EndedOptions, requireEnded } from './require-ended.js';
import { findTaskBase, requireTaskWork, type TaskWork } from './task-branch.js';

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
  const task = requireEnded(await findCurrentTask(context, input.id), 'published', input);
  const remote = input.remote ?? task.plan.publish?.remote ?? 'origin';
  const gh = input.pullRequest ? requireGh(context) : undefined;
  await importLateCommits(context, task, signal);
  const works = await requireTaskWork(context, task);
  for (const { gitDir } of works) await requireRemote(context.git, gitDir, remote);
  for (const { branch, commit, gitDir, repository } of works)
    await pushBranch(context.git, { gitDir, root: repository, remote, branch, commit, signal });
  const { pullRequest = null } = task.published ?? {};
  const pushed = await record(context, task, { remote, pullRequest, ...describeParts(works, []) });
  if (!gh) return pushed;
  const addresses: (string | null)[] = [];
  for (const work of works) {
    const base = await findTaskBase(context, task, work);
    const order = { gh, branch: work.branch, base, draft, signal };
    addresses.push(await openPullRequest(context, { ...task, repository: work.repository }, order));
  }
  const [first = null] = addresses;
  return record(context, task, { remote, pullRequest: first, ...describeParts(works, addresses) });
}

const describeParts = (
  works: readonly TaskWork[],
  addresses: readonly (string | null)[],
): Pick<Published, 'repositories'> => {
  const parts = works.flatMap(({ alias }, index) =>
    alias === null ? [] : [{ alias, pullRequest: addresses[index] ?? null }],
  );
  return parts.length === 0 ? {} : { repositories: parts };
};

/** Imports commits made inside since the last stage ended; the sandbox of a workspace has one repository. */
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
