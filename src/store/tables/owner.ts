import type { ProcessIdentity } from '../../domain/process-identity.js';
import type { OwnerColumns } from '../schema.js';

export function toOwnerColumns(owner: ProcessIdentity): OwnerColumns {
  return { owner_pid: owner.pid, owner_started_at: owner.startedAt, owner_realm: owner.realm };
}

export function fromOwnerColumns(row: OwnerColumns): ProcessIdentity {
  return { pid: row.owner_pid, startedAt: row.owner_started_at, realm: row.owner_realm };
}
