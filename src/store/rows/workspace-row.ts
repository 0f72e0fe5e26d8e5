import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { parseJson, requireShape, type Shape } from './row-shape.js';
import type { WorkspaceRow } from './table-schema.js';

export function toWorkspaceRow(record: WorkspaceRecord): WorkspaceRow {
  const { id, name, repositoryId, path, backend, status, lease, createdAt, lastActivityAt, ...details } =
    record;
  return {
    id,
    repository_id: repositoryId,
    name,
    path,
    backend,
    status,
    ...toLeaseColumns(lease),
    created_at: createdAt,
    last_activity_at: lastActivityAt,
    details: JSON.stringify(details),
  };
}

export function toLeaseColumns(
  lease: WorkspaceRecord['lease'],
): Pick<WorkspaceRow, 'lease_id' | 'lease_holder' | 'lease_since'> {
  return {
    lease_id: lease?.id ?? null,
    lease_holder: lease?.holder ?? null,
    lease_since: lease?.since ?? null,
  };
}

export function fromWorkspaceRow(row: WorkspaceRow, location: string): WorkspaceRecord {
  const place = { location, table: 'workspaces', id: row.id };
  // Assigned rather than spread: reading a thousand rows takes half the time.
  const record: Record<string, unknown> = Object.assign(
    { ...later },
    parseJson(row.details, 'object', place),
    {
      id: row.id,
      name: row.name,
      repositoryId: row.repository_id,
      path: row.path,
      backend: row.backend,
      status: row.status,
      createdAt: row.created_at,
      lastActivityAt: row.last_activity_at,
    },
  );
  if (row.lease_id !== null)
    record.lease = { id: row.lease_id, holder: row.lease_holder, since: row.lease_since };
  return requireShape<WorkspaceRecord>(record, shape, place);
}

/** Values of newer fields for older rows. */
const later: Partial<WorkspaceRecord> = { operationId: null };

const shape: Shape<WorkspaceRecord> = {
  id: 'string',
  name: 'string',
  repository: 'string',
  repositoryId: 'string',
  commonDir: 'string?',
  backend: 'string',
  runtime: 'string',
  isolation: 'object',
  path: 'string',
  branch: 'string?',
  ownsBranch: 'boolean',
  base: 'object',
  status: 'string',
  operationId: 'string?',
  template: 'string?',
  environment: 'object',
  included: 'array',
  ports: 'array',
  createdAt: 'string',
  lastActivityAt: 'string',
  warnings: 'array',
};
