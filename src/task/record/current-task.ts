import type { TaskRecord } from '../../domain/task/task.js';
import { isActive } from '../../domain/task/task-state.js';
import type { Context } from '../../operations/context.js';
import { findTask } from './find-task.js';

/** A task as it is now: what a fleet has recorded of one that runs there is brought back first. */
export async function findCurrentTask(
  context: Pick<Context, 'store' | 'fleetTasks'>,
  id: string,
): Promise<TaskRecord> {
  const task = await findTask(context, id);
  return isOnFleet(task) ? (await context.fleetTasks()).refresh(task) : task;
}

/**
 * Whether a fleet decides how the task goes on. One whose process died while it submitted it counts as interrupted here,
 * and the fleet may have it.
 */
export const isOnFleet = ({ fleet, owner, status }: TaskRecord): boolean =>
  fleet !== undefined &&
  fleet.run !== null &&
  owner === null &&
  (isActive(status) || status === 'interrupted');
