import type { Generated } from 'kysely';

/**
 * The tables as SQL sees them. What is searched, ordered or compared has its own column; the rest of a record is
 * one JSON text called `details`. Times are ISO 8601 in UTC, which sorts as text.
 */
export interface Schema {
  workspaces: WorkspaceRow;
  snapshots: SnapshotRow;
  events: EventRow;
  journal: JournalRow;
  locks: LockRow;
  ports: PortRow;
  trust: TrustRow;
  commands: CommandRow;
  slots: SlotRow;
  remains: RemainsRow;
  tasks: TaskRow;
}

export interface WorkspaceRow {
  id: string;
  repository_id: string;
  name: string;
  path: string;
  backend: string;
  status: string;
  lease_id: string | null;
  lease_holder: string | null;
  lease_since: string | null;
  created_at: string;
  last_activity_at: string;
  details: string;
}

export interface SnapshotRow {
  id: string;
  repository_id: string;
  workspace_id: string;
  workspace_name: string;
  created_at: string;
  details: string;
}

export interface EventRow {
  sequence: Generated<number>;
  at: string;
  type: string;
  repository_id: string | null;
  workspace_id: string | null;
  data: string;
  task_id: string | null;
}

/** A process identity, spread over columns so that it can be compared. */
export interface OwnerColumns {
  owner_pid: number;
  owner_started_at: string;
  owner_realm: string;
}

export interface JournalRow extends OwnerColumns {
  id: string;
  kind: string;
  step: string;
  workspace_id: string;
  repository_id: string;
  data: string;
  started_at: string;
}

export interface LockRow extends OwnerColumns {
  name: string;
  token: string;
  acquired_at: string;
}

interface PortRow {
  first: number;
  workspace_id: string;
}

export interface TrustRow {
  repository_id: string;
  digest: string;
  repository: string;
  commands: string;
  granted_at: string;
}

export interface CommandRow extends OwnerColumns {
  id: string;
  workspace_id: string;
  command: string;
  started_at: string;
}

/** The owner's columns are null together, when no process works on the slot. */
export interface SlotRow {
  id: string;
  repository_id: string;
  kind: string;
  status: string;
  commit_id: string;
  lease_id: string | null;
  owner_pid: number | null;
  owner_started_at: string | null;
  owner_realm: string | null;
  created_at: string;
  changed_at: string;
  details: string;
}

export interface RemainsRow extends OwnerColumns {
  id: string;
  repository_id: string;
  created_at: string;
  details: string;
}

/** The owner's columns are null together, when no process works on the task. */
export interface TaskRow {
  id: string;
  repository_id: string;
  status: string;
  priority: number;
  created_at: string;
  owner_pid: number | null;
  owner_started_at: string | null;
  owner_realm: string | null;
  heartbeat_at: string | null;
  cancel_requested_at: string | null;
  details: string;
}
