import type { RefusedConnection } from '../domain/result.js';
import type { Risk } from '../domain/risk.js';
import type { Snapshot } from '../domain/snapshot.js';
import type { WorkspaceDetails } from '../domain/workspace.js';
import { assessRemoval } from './assess-removal.js';
import type { Context } from './context.js';
import { findWorkspace, type WorkspaceQuery } from './find.js';
import { describeDetails } from './list.js';
import { listRefusedConnections } from './refused-connections.js';

export interface WorkspaceReport extends WorkspaceDetails {
  /** What removing it would lose. */
  readonly risks: readonly Risk[];
  /** What its sandbox's network refused lately. */
  readonly refusedConnections: readonly RefusedConnection[];
  readonly snapshots: readonly Snapshot[];
}

/** All there is to know about one workspace. */
export async function showWorkspace(context: Context, query: WorkspaceQuery): Promise<WorkspaceReport> {
  const record = await findWorkspace(context, query);
  const isReady = record.status === 'ready';
  const [inspection] = isReady
    ? await context.backends[record.backend].inspect([record], { size: true })
    : [];
  const isOurs = inspection !== undefined && ['present', 'missing'].includes(inspection.presence.kind);
  const { risks } = isOurs ? await assessRemoval(context, record) : { risks: [] };
  const snapshots = await context.store.snapshots.list({ workspaceId: record.id });
  const refusedConnections = await listRefusedConnections(context, record);
  return {
    ...describeDetails(record, inspection),
    risks,
    refusedConnections,
    snapshots,
  };
}
