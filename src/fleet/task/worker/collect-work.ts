import type { TaskResult } from '../../../domain/fleet/task-result.js';
import type { TaskRecord } from '../../../domain/task/task.js';
import type { WorkspaceRecord } from '../../../domain/workspace/workspace.js';
import { readRef } from '../../../git/refs/refs.js';
import type { Context } from '../../../operations/context.js';
import { isOfTask } from '../../../operations/guard/task-of-workspace.js';
import { commitMessage } from '../../../task/attempt/commit/commit-message.js';
import { commitWork } from '../../../task/attempt/commit/commit-work.js';

export interface CollectedWork {
  readonly branches: TaskResult['branches'];
  /** What could not be committed, and stays on this host. */
  readonly warnings: readonly string[];
}

/** The workspaces of a task and of its stages. */
export async function listTaskWorkspaces(
  { store }: Pick<Context, 'store'>,
  task: TaskRecord,
): Promise<WorkspaceRecord[]> {
  const records = await store.workspaces.list({ repositoryId: task.repositoryId });
  return records.filter(record => isOfTask(task, record));
}

/**
 * The branches with work. What a task that did not succeed has left uncommitted is committed first; after a success it
 * is what checks and validation left next to the work, as on one machine.
 */
export async function collectWork(
  context: Context,
  task: TaskRecord,
  { commonDir, base }: { readonly commonDir: string; readonly base: string },
): Promise<CollectedWork> {
  const records = await listTaskWorkspaces(context, task);
  const own = records.filter(({ id }) => id === task.workspaceId);
  const others = records.filter(({ id }) => id !== task.workspaceId);
  const branches: TaskResult['branches'] = [];
  const warnings: string[] = [];
  for (const record of [...own, ...others]) {
    if (!isAccepted(task)) warnings.push(...(await commitLeft(context, task, record)));
    const { branch } = record;
    const commit = branch && (await readRef(context.git, { gitDir: commonDir }, `refs/heads/${branch}`));
    if (branch && commit && commit !== base) branches.push({ branch, commit });
  }
  return { branches, warnings };
}

/** Its checks have seen the work as it is on the branch. */
const isAccepted = ({ status }: TaskRecord): boolean =>
  status === 'succeeded' || status === 'waiting-for-approval';

async function commitLeft(context: Context, task: TaskRecord, record: WorkspaceRecord): Promise<string[]> {
  const what = `changes from before it was ${task.status}`;
  const message = commitMessage({ task, stage: null, agent: null, words: null, what });
  const before = record.id === task.workspaceId ? (task.head ?? record.base.commit) : record.base.commit;
  const committed = await commitWork(context, record, { before, message });
  if (committed.kind === 'committed') return [];
  return [`uncommitted work stays on the worker for a week, in ${record.path}: ${committed.failure.message}`];
}
