import { carrelError } from '../../../domain/error/error.js';
import type { RemovalResult } from '../../../domain/report/result.js';
import type { DeveloperWorktree } from '../../../domain/story/developer-workflow.js';
import type { AcceptedRisks } from '../../../domain/workspace/risk.js';
import { findWorktree, removeWorktree } from '../../../operations/removal/remove-worktree.js';
import { listWorkspaces } from '../../../operations/workspace/list.js';
import { requireChangeableParts } from '../repositories/require-changeable.js';
import type { ServerContext } from '../server-context.js';

/** All workspaces in the terms of /api/developer; oldest first. */
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

/** By the id of the workspace or of its task. WORKSPACE_NOT_FOUND, REPOSITORY_NOT_ALLOWED, and as `removeWorktree`. */
export async function removeDeveloperWorktree(
  server: ServerContext,
  id: string,
  accepted: AcceptedRisks,
): Promise<RemovalResult> {
  const { app } = server;
  const record = await findWorktree(app, id);
  if (!record) {
    const known = (await app.store.workspaces.list()).map(each => each.id);
    throw carrelError('WORKSPACE_NOT_FOUND', { name: id, known });
  }
  await requireChangeableParts(server, record);
  return removeWorktree(app, record, accepted);
}
