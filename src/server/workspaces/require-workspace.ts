import { carrelError } from '../../domain/error.js';
import { nearest } from '../../domain/nearest.js';
import type { WorkspaceRecord } from '../../domain/workspace.js';
import type { WorkspaceQuery } from '../../operations/find.js';
import { requireChangeable } from '../repositories/require-changeable.js';
import type { ServerContext } from '../server-context.js';

/** The workspace of an id that came with a request. WORKSPACE_NOT_FOUND. */
export async function requireWorkspace({ app }: ServerContext, id: string): Promise<WorkspaceRecord> {
  const found = await app.store.workspaces.find(id);
  if (found) return found;
  const known = (await app.store.workspaces.list()).map(record => record.id);
  throw carrelError('WORKSPACE_NOT_FOUND', { name: id, known, nearest: nearest(id, known) });
}

/** How the operations name it. By id a workspace is found from anywhere. */
export async function queryWorkspace(server: ServerContext, id: string): Promise<WorkspaceQuery> {
  const record = await requireWorkspace(server, id);
  return { repository: server.app.cwd, name: record.id };
}

/** The same for what changes it, or takes it away. WORKSPACE_NOT_FOUND, REPOSITORY_NOT_ALLOWED. */
export async function queryChangeableWorkspace(server: ServerContext, id: string): Promise<WorkspaceQuery> {
  const record = await requireWorkspace(server, id);
  await requireChangeable(server, record);
  return { repository: server.app.cwd, name: record.id };
}
