import { carrelError } from '../../domain/error/error.js';
import type { SlotKind, SlotRecord, SlotStatus } from '../../domain/workspace/slot.js';
import { parseJson, type RowPlace, requireShape, type Shape } from './row-shape.js';
import type { SlotRow } from './table-schema.js';

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
  const slot = requireShape<SlotRecord>(record, shape, place);
  if (!kinds.has(slot.kind) || !statuses.has(slot.status))
    throw damaged(place, `it is ${slot.kind} and ${slot.status}`);
  // The lease is stored twice, for compare-and-swap and for its holder.
  if ((slot.lease?.id ?? null) !== row.lease_id) throw damaged(place, 'it has two different leases');
  return slot;
}

/** A slot of an unknown kind or status would never be leased but always count. */
const kinds: ReadonlySet<SlotKind> = new Set<SlotKind>(['checkout', 'overlay']);
const statuses: ReadonlySet<SlotStatus> = new Set<SlotStatus>([
  'creating',
  'free',
  'leased',
  'resetting',
  'adopting',
  'quarantined',
  'destroying',
]);

const damaged = ({ location, table, id }: RowPlace, problem: string) =>
  carrelError('STORE_CORRUPT', {
    file: location,
    row: `${table} ${id}`,
    problem: `row ${id} of ${table} is invalid: ${problem}`,
  });

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
