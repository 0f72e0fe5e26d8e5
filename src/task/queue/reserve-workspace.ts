import { realpath } from 'node:fs/promises';
import { isCarrelError } from '../../domain/error/error.js';
import type { Task } from '../../domain/task/task.js';
import type { Context } from '../../operations/context.js';
import { applyTemplate } from '../../operations/settings/workspace-settings.js';
import { chooseWorkspacePath } from '../../operations/space/workspace-root.js';
import type { Repository } from '../../workspace/backend.js';
import { nextWorkspaceName } from '../record/task-workspace-name.js';

/** Where a task will have its workspace. */
export interface PlannedWorkspace {
  readonly workspaceName: string;
  readonly worktreePath: string;
}

const MOST_ATTEMPTS = 20;

/**
 * Chooses name and path of a task's workspace and has `save` record them with the task, which reserves both. When
 * another task or workspace was faster, the store refuses, and the next name is tried.
 */
export async function withReservedWorkspace<T>(
  context: Pick<Context, 'store' | 'places' | 'environment' | 'loadConfig'>,
  repository: Repository,
  wanted: { readonly name: string; readonly workspace: Task['workspace'] },
  save: (planned: PlannedWorkspace) => Promise<T>,
): Promise<T> {
  let workspaceName = wanted.name;
  for (let attempt = 1; ; attempt++) {
    const isShared = wanted.workspace?.strategy === 'none';
    const worktreePath = isShared
      ? await realpath(repository.root)
      : await choosePath(context, repository, workspaceName);
    try {
      return await save({ workspaceName, worktreePath });
    } catch (error) {
      if (!isCarrelError(error, 'WORKSPACE_EXISTS') || attempt === MOST_ATTEMPTS) throw error;
      workspaceName = nextWorkspaceName(workspaceName);
    }
  }
}

async function choosePath(
  context: Pick<Context, 'store' | 'places' | 'environment' | 'loadConfig'>,
  repository: Repository,
  name: string,
): Promise<string> {
  const settings = await applyTemplate(context, repository, undefined);
  return chooseWorkspacePath(context, { settings, repository, name });
}
