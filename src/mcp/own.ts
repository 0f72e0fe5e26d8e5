import { carrelError } from '../domain/error.js';
import type { TaskRecord } from '../domain/task.js';
import type { WorkspaceRecord } from '../domain/workspace.js';
import { findWorkspace, isOf, listNames } from '../operations/find.js';
import { findTask } from '../task/find-task.js';
import type { Call } from './desk.js';

// Elsewhere an id means a workspace of any repository. An agent has one repository, and no business in the others.

type Place = Pick<Call, 'context' | 'repository' | 'directory'>;

/** WORKSPACE_NOT_FOUND when it is of another repository. */
export async function requireOwnWorkspace(place: Place, name: string): Promise<WorkspaceRecord> {
  const { context, repository, directory } = place;
  const record = await findWorkspace(context, { repository: directory, name });
  if (isOf(repository, record)) return record;
  const known = await listNames(context, { repository: directory });
  throw carrelError('WORKSPACE_NOT_FOUND', { name, known });
}

/** TASK_NOT_FOUND when it is of another repository. */
export async function requireOwnTask({ context, repository }: Place, id: string): Promise<TaskRecord> {
  const task = await findTask(context, id);
  if (isOf(repository, task)) return task;
  throw carrelError('TASK_NOT_FOUND', { id, known: [] });
}

/** SNAPSHOT_NOT_FOUND when it is of another repository. By name or beginning of an id, only own ones are found anyway. */
export async function requireOwnSnapshot({ context, repository }: Place, id: string): Promise<void> {
  const snapshot = await context.store.snapshots.find(id);
  if (snapshot && !isOf(repository, snapshot))
    throw carrelError('SNAPSHOT_NOT_FOUND', { name: id, known: [] });
}
