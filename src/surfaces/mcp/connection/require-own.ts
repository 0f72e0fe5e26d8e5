import { carrelError, isCarrelError } from '../../../domain/error/error.js';
import type { TaskRecord } from '../../../domain/task/task.js';
import type { WorkspaceRecord } from '../../../domain/workspace/workspace.js';
import { findWorkspace, isOf } from '../../../operations/workspace/find-workspace.js';
import { findTask } from '../../../task/record/find-task.js';
import { listTasks } from '../../../task/record/list-tasks.js';
import type { Call } from './agent-connection.js';

// Elsewhere an id can be of any repository. An agent has one repository and no access to others.

type Place = Pick<Call, 'context' | 'repository' | 'directory'>;

/** WORKSPACE_NOT_FOUND if it belongs to another repository. */
export const requireOwnWorkspace = ({ context, directory }: Place, name: string): Promise<WorkspaceRecord> =>
  findWorkspace(context, { repository: directory, name, isHereOnly: true });

/** TASK_NOT_FOUND if it belongs to another repository. */
export async function requireOwnTask(place: Place, id: string): Promise<TaskRecord> {
  const task = await findTask(place.context, id).catch(ignoreUnknown);
  if (task && isOf(place.repository, task)) return task;
  const own = await listTasks(place.context, { repository: place.directory });
  throw carrelError('TASK_NOT_FOUND', { id, known: own.slice(-MOST_KNOWN).map(known => known.id) });
}

/** The number of ids in a message. */
const MOST_KNOWN = 5;

/** These errors name tasks of all repositories. */
function ignoreUnknown(error: unknown): undefined {
  if (!isCarrelError(error, 'TASK_NOT_FOUND', 'TASK_AMBIGUOUS')) throw error;
}

/** SNAPSHOT_NOT_FOUND if it belongs to another repository. A name or the beginning of an id only matches this one anyway. */
export async function requireOwnSnapshot({ context, repository }: Place, id: string): Promise<void> {
  const snapshot = await context.store.snapshots.find(id);
  if (snapshot && !isOf(repository, snapshot))
    throw carrelError('SNAPSHOT_NOT_FOUND', { name: id, known: [] });
}
