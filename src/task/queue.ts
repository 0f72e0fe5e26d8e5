import type { TaskRecord } from '../domain/task.js';
import { BUSY_STATUSES } from '../domain/task-state.js';
import { hasLivingOwner } from './task-owner.js';

export interface QueuePlace {
  /** Whether there is a place and nobody goes first. */
  readonly isTurn: boolean;
  /** Tasks that wait as well and would go first. */
  readonly before: number;
}

/**
 * The place of a task among those of the machine, which go strictly by priority, then by age: with two free places the
 * second in line waits until the first has taken one. Tasks of dead processes do not count; processes are looked up only
 * where it matters, because everybody who waits does this again and again.
 */
export function findPlace(
  tasks: readonly TaskRecord[],
  own: TaskRecord,
  { concurrency, now }: { readonly concurrency: number; readonly now: number },
): QueuePlace {
  const isLiving = (task: TaskRecord) => hasLivingOwner(task, now);
  const first = tasks.filter(task => isAwaiting(task, now) && goesBefore(task, own));
  const hasRoom = tasks.filter(task => isBusy(task) && isLiving(task)).length < concurrency;
  return { isTurn: hasRoom && !first.some(isLiving), before: first.length };
}

const isBusy = ({ status }: TaskRecord): boolean => BUSY_STATUSES.some(busy => busy === status);

/** Whoever waits beats at least every five seconds (see store/tables/tasks.ts). */
const LONGEST_PAUSE_MS = 15_000;

/** A process that was stopped, by Ctrl-Z for instance, lives and would hold up the whole queue. */
const isAwaiting = ({ status, heartbeatAt }: TaskRecord, now: number): boolean =>
  status === 'waiting' && heartbeatAt !== null && Math.abs(now - Date.parse(heartbeatAt)) < LONGEST_PAUSE_MS;

function goesBefore(task: TaskRecord, own: TaskRecord): boolean {
  if (task.priority !== own.priority) return task.priority > own.priority;
  if (task.createdAt !== own.createdAt) return task.createdAt < own.createdAt;
  return task.id < own.id;
}
