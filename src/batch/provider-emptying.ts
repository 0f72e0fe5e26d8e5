import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { carrelError } from '../domain/error.js';
import type { Context } from '../operations/context.js';
import { removeRecord } from '../operations/down.js';
import { drainPool } from '../operations/pool.js';
import { removeSnapshot } from '../operations/remove-snapshot.js';

/**
 * Removes everything that was made of a repository of a provider: workspaces, slots, and the snapshots that either left.
 * The caller has what it wants of them: of an attempt that is its patch. WORKSPACE_BUSY when somebody is still at it.
 */
export async function emptyRepository(context: Context, directory: string): Promise<void> {
  if (!existsSync(join(directory, '.git'))) return;
  const repository = await context.backends.git.locate(directory);
  const repositoryId = repository.id;
  for (const record of await context.store.workspaces.list({ repositoryId }))
    if (record.status === 'ready')
      await removeRecord(context, record, { accepted: EVERYTHING, reason: 'down' });
  const { slots } = await context.store.slots.list(repositoryId);
  const { busy } = slots.length > 0 ? await drainPool(context, { repository: directory }) : { busy: [] };
  const workspaces = await context.store.workspaces.list({ repositoryId });
  const remains = await context.store.remains.list(repositoryId);
  if (busy.length + workspaces.length + remains.length > 0)
    throw carrelError('WORKSPACE_BUSY', { name: directory, status: 'in use' });
  for (const snapshot of await context.store.snapshots.list({ repositoryId }))
    await removeSnapshot(context, snapshot);
}

const EVERYTHING = {
  discardChanges: true,
  discardCommits: true,
  stopProcesses: true,
  breakLease: true,
} as const;
