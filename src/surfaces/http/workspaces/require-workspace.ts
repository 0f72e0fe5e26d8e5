import { carrelError } from '../../../domain/error/error.js';
import { nearest } from '../../../domain/text/nearest-word.js';
import type { WorkspaceRecord } from '../../../domain/workspace/workspace.js';
import type { ServerContext } from '../server-context.js';

/** The workspace of an id in a request. WORKSPACE_NOT_FOUND. */
export async function requireWorkspace({ app }: ServerContext, id: string): Promise<WorkspaceRecord> {
  const found = await app.store.workspaces.find(id);
  if (found) return found;
  const known = (await app.store.workspaces.list()).map(record => record.id);
  throw carrelError('WORKSPACE_NOT_FOUND', { name: id, known, nearest: nearest(id, known) });
}
