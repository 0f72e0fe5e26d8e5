import { carrelError } from '../../domain/error/error.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { requireInspected, requirePresent } from '../../workspace/location/presence.js';
import type { Context } from '../context.js';

/** Throws unless the workspace is ready and its files are in place. */
export async function requireReady(
  context: Pick<Context, 'backends'>,
  record: WorkspaceRecord,
): Promise<void> {
  if (record.status !== 'ready')
    throw carrelError('WORKSPACE_BUSY', { name: record.name, status: record.status });
  const [inspection] = await context.backends.of(record.backend).inspect([record], {
    size: false,
    presenceOnly: true,
  });
  requirePresent(record, requireInspected(inspection).presence);
}
