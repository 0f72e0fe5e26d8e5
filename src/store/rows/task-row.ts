import { carrelError } from '../../domain/error/error.js';
import type { TaskRecord } from '../../domain/task/task.js';
import { TASK_STATUSES } from '../../domain/task/task-status.js';
import { parseJson, requireShape, type Shape } from './row-shape.js';
import type { TaskRow } from './table-schema.js';

export function toTaskRow(task: TaskRecord): TaskRow {
  const { id, repositoryId, status, priority, createdAt, owner, heartbeatAt, cancelRequestedAt, ...details } =
    task;
  return {
    id,
    repository_id: repositoryId,
    status,
    priority,
    created_at: createdAt,
    owner_pid: owner?.pid ?? null,
    owner_started_at: owner?.startedAt ?? null,
    owner_realm: owner?.realm ?? null,
    heartbeat_at: heartbeatAt,
    cancel_requested_at: cancelRequestedAt,
    details: JSON.stringify(details),
  };
}

export function fromTaskRow(row: TaskRow, location: string): TaskRecord {
  const place = { location, table: 'tasks', id: row.id };
  // Assigned rather than spread, as for workspaces: there may be thousands.
  const record = Object.assign(parseJson(row.details, 'object', place), {
    id: row.id,
    repositoryId: row.repository_id,
    status: row.status,
    priority: row.priority,
    createdAt: row.created_at,
    owner: ownerOf(row),
    heartbeatAt: row.heartbeat_at,
    cancelRequestedAt: row.cancel_requested_at,
  });
  const task = requireShape<TaskRecord>(record, shape, place);
  // A task of an unknown status would never get an owner.
  if (TASK_STATUSES.includes(task.status)) return task;
  const problem = `row ${row.id} of tasks is invalid: its status is ${row.status}`;
  throw carrelError('STORE_CORRUPT', { file: location, row: `tasks ${row.id}`, problem });
}

export function ownerOf(
  row: Pick<TaskRow, 'owner_pid' | 'owner_started_at' | 'owner_realm'>,
): TaskRecord['owner'] {
  const { owner_pid, owner_started_at, owner_realm } = row;
  if (owner_pid === null || owner_started_at === null || owner_realm === null) return null;
  return { pid: owner_pid, startedAt: owner_started_at, realm: owner_realm };
}

const shape: Shape<TaskRecord> = {
  id: 'string',
  description: 'string',
  repository: 'string',
  repositoryId: 'string',
  workflow: 'string',
  agent: 'string?',
  status: 'string',
  priority: 'number',
  isolation: 'object',
  workspaceId: 'string?',
  workspaceName: 'string?',
  worktreePath: 'string?',
  workspaceKept: 'boolean',
  branch: 'string?',
  base: 'string?',
  head: 'string?',
  stages: 'array',
  validation: 'array',
  usage: 'object',
  runs: 'array',
  landed: 'object?',
  published: 'object?',
  warnings: 'array',
  createdAt: 'string',
  endedAt: 'string?',
  owner: 'object?',
  heartbeatAt: 'string?',
  cancelRequestedAt: 'string?',
  plan: 'object',
};
