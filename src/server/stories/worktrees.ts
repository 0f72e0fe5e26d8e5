import type { DeveloperWorktree } from '../../domain/developer-workflow.js';
import { carrelError } from '../../domain/error.js';
import type { RemovalResult } from '../../domain/result.js';
import type { AcceptedRisks } from '../../domain/risk.js';
import type { TaskRecord } from '../../domain/task.js';
import { isActive } from '../../domain/task-state.js';
import type { WorkspaceRecord } from '../../domain/workspace.js';
import { removeRecord } from '../../operations/down.js';
import { listWorkspaces } from '../../operations/list.js';
import { isOfTask } from '../../operations/task-of-workspace.js';
import { requireChangeable } from '../repositories/require-changeable.js';
import type { ServerContext } from '../server-context.js';

/** All workspaces, in the words of /api/developer; oldest first. */
export async function listWorktrees({ app }: ServerContext): Promise<DeveloperWorktree[]> {
  const workspaces = await listWorkspaces(app, { repository: app.cwd, all: true });
  const tasks = new Map((await app.store.tasks.list()).map(task => [task.workspaceId, task]));
  return workspaces.map(workspace => {
    const { id, path, repository, branch, status, createdAt, lastActivityAt } = workspace;
    const task = tasks.get(id);
    return {
      id,
      workflowId: task?.id ?? null,
      worktreePath: path,
      targetRepository: task?.plan.request?.targetRepository ?? repository,
      branch,
      status,
      createdAt,
      lastActivityAt,
      workspace,
    };
  });
}

/**
 * Removes the workspace of that id, or that of the task of that id. As when a task tidies up by itself, its branch stays
 * while it has commits that nothing else has, unless they are given up. WORKSPACE_NOT_FOUND, REPOSITORY_NOT_ALLOWED,
 * WORKTREE_IN_USE while its task has not ended, REMOVAL_REFUSED with the risks.
 */
export async function removeWorktree(
  server: ServerContext,
  id: string,
  accepted: AcceptedRisks,
): Promise<RemovalResult> {
  const record = await requireWorktree(server, id);
  await requireChangeable(server, record);
  const task = await findTaskOf(server, record);
  if (task && isActive(task.status))
    throw carrelError('WORKTREE_IN_USE', { id: record.id, taskId: task.id, status: task.status });
  const keepBranch = task !== undefined && !accepted.discardCommits;
  return removeRecord(server.app, record, { accepted, keepBranch, reason: 'down' });
}

async function requireWorktree({ app }: ServerContext, id: string): Promise<WorkspaceRecord> {
  const { workspaces, tasks } = app.store;
  const task = await tasks.find(id);
  const found = await workspaces.find(task?.workspaceId ?? id);
  if (found) return found;
  const known = (await workspaces.list()).map(record => record.id);
  throw carrelError('WORKSPACE_NOT_FOUND', { name: id, known });
}

async function findTaskOf({ app }: ServerContext, record: WorkspaceRecord): Promise<TaskRecord | undefined> {
  const tasks = await app.store.tasks.list({ repositoryId: record.repositoryId });
  return tasks.findLast(task => isOfTask(task, record));
}
