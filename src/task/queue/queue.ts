import type { TaskRecord } from '../../domain/task/task.js';
import { isBusy } from '../../domain/task/task-state.js';
import { hasLivingOwner } from '../record/task-owner.js';

export interface QueuePlace {
  /** Whether there is a place and no other task is first. */
  readonly isTurn: boolean;
  /** Other waiting tasks that are ahead. */
  readonly before: number;
}

/**
 * The position of a task in the machine's queue, ordered strictly by priority, then by age: with two free places the
 * second in line waits until the first has taken one. Tasks of dead processes do not count; processes are looked up only
 * where it matters, because every waiting process repeats this often.
 */
export function findQueuePlace(
  tasks: readonly TaskRecord[],
  own: TaskRecord,
  { concurrency, now }: { readonly concurrency: number; readonly now: number },
): QueuePlace {
  const isLiving = (task: TaskRecord) => hasLivingOwner(task, now);
  const first = tasks.filter(task => isAwaiting(task, now) && goesBefore(task, own));
  const hasRoom = tasks.filter(task => isBusy(task.status) && isLiving(task)).length < concurrency;
  return { isTurn: hasRoom && !first.some(isLiving), before: first.length };
}

/** A waiting process sends a heartbeat at least every five seconds (see store/tables/stored-tasks.ts). */
const LONGEST_PAUSE_MS = 15_000;

/** A process suspended with Ctrl-Z, for instance, is alive and would block the whole queue. */
const isAwaiting = ({ status, heartbeatAt }: TaskRecord, now: number): boolean =>
  status === 'waiting' && heartbeatAt !== null && Math.abs(now - Date.parse(heartbeatAt)) < LONGEST_PAUSE_MS;

function goesBefore(task: TaskRecord, own: TaskRecord): boolean {
  if (task.priority !== own.priority) return task.priority > own.priority;
  if (task.createdAt !== own.createdAt) return task.createdAt < own.createdAt;
  return task.id < own.id;
}
