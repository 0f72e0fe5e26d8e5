import { carrelError } from '../domain/error.js';
import type { WorkspaceRecord } from '../domain/workspace.js';
import type { Context } from './context.js';

/**
 * Runs an action on a workspace that another process may remove meanwhile. When it fails and the workspace is no longer
 * there or ready, that is the reason, whatever the action stumbled over: WORKSPACE_NOT_FOUND or WORKSPACE_BUSY.
 */
export async function whileReady<T>(
  context: Context,
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
