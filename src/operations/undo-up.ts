import type { WorkspaceRecord } from '../domain/workspace.js';
import { assessProcesses } from './assess-removal.js';
import type { Context } from './context.js';
import { inRepositoryLock } from './repository-lock.js';
import { stopProcesses } from './stop-processes.js';

/**
 * Takes back a workspace that never became ready: files, registration, branch, ports, record. A setup command may have
 * outlived the process that started it; it goes first.
 */
export async function undoUp(context: Context, record: WorkspaceRecord): Promise<void> {
  const backend = context.backends[record.backend];
  if (backend.ownsFiles)
    await stopProcesses(record, (await assessProcesses(context, record, record.path)).processes);
  await inRepositoryLock(context, record, () => backend.undoCreate(record));
  const { id, repositoryId, name, path } = record;
  const event = {
    type: 'workspace.create-failed',
    repositoryId,
    workspaceId: id,
    data: { name, path },
  } as const;
  await context.store.workspaces.remove(id, [event]);
}
