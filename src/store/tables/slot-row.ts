import type { SlotRecord } from '../../domain/slot.js';
import type { SlotRow } from '../schema.js';
import { parseJson, requireShape, type Shape } from './row.js';

export function toSlotRow(slot: SlotRecord): SlotRow {
  const { id, repositoryId, kind, status, commit, owner, createdAt, changedAt, ...details } = slot;
  return {
    id,
    repository_id: repositoryId,
    kind,
    status,
    commit_id: commit,
    lease_id: slot.lease?.id ?? null,
    owner_pid: owner?.pid ?? null,
    owner_started_at: owner?.startedAt ?? null,
    owner_realm: owner?.realm ?? null,
    created_at: createdAt,
    changed_at: changedAt,
    details: JSON.stringify(details),
  };
}

export function fromSlotRow(row: SlotRow, location: string): SlotRecord {
  const place = { location, table: 'slots', id: row.id };
  const record = {
    ...parseJson(row.details, 'object', place),
    id: row.id,
    repositoryId: row.repository_id,
    kind: row.kind,
    status: row.status,
    commit: row.commit_id,
    owner: ownerOf(row),
    createdAt: row.created_at,
    changedAt: row.changed_at,
  };
  return requireShape<SlotRecord>(record, shape, place);
}

function ownerOf({ owner_pid, owner_started_at, owner_realm }: SlotRow): SlotRecord['owner'] {
  if (owner_pid === null || owner_started_at === null || owner_realm === null) return null;
  return { pid: owner_pid, startedAt: owner_started_at, realm: owner_realm };
}

const shape: Shape<SlotRecord> = {
  id: 'string',
  repositoryId: 'string',
  repository: 'string',
  commonDir: 'string',
  directory: 'string',
  kind: 'string',
  status: 'string',
  commit: 'string',
  lease: 'object?',
  owner: 'object?',
  caches: 'object',
  reason: 'string?',
  createdAt: 'string',
  changedAt: 'string',
};
