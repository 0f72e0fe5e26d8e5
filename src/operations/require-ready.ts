import { carrelError } from '../domain/error.js';
import type { WorkspaceRecord } from '../domain/workspace.js';
import type { Inspection } from '../workspace/backend.js';
import { requirePresent } from '../workspace/presence.js';
import type { Context } from './context.js';

/** Throws unless the workspace is ready and its files are in place. */
export async function requireReady(context: Context, record: WorkspaceRecord): Promise<void> {
  if (record.status !== 'ready')
    throw carrelError('WORKSPACE_BUSY', { name: record.name, status: record.status });
  const [inspection] = await context.backends[record.backend].inspect([record], {
    size: false,
    presenceOnly: true,
  });
  requirePresent(record, (inspection as Inspection).presence);
}
