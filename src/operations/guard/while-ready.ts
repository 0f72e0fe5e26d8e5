import { carrelError } from '../../domain/error/error.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import type { Context } from '../context.js';

/**
 * Runs an action on a workspace that another process may remove at the same time. When it fails and the workspace is gone or no longer
 * ready, that is reported instead of the action's own error: WORKSPACE_NOT_FOUND or WORKSPACE_BUSY.
 */
export async function whileReady<T>(
  context: Pick<Context, 'store'>,
  record: WorkspaceRecord,
  action: () => Promise<T>,
): Promise<T> {
  try {
    return await action();
  } catch (error) {
    const { id, name } = record;
    const present = await context.store.workspaces.find(id);
    if (!present) throw carrelError('WORKSPACE_NOT_FOUND', { name, known: [] }, error);
    if (present.status !== 'ready')
      throw carrelError('WORKSPACE_BUSY', { name, status: present.status }, error);
    throw error;
  }
}
