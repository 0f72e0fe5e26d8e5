import type { TaskRecord } from '../domain/task.js';
import { isActive } from '../domain/task-state.js';
import { isAlive } from '../exec/process-identity.js';
import type { Context } from '../operations/context.js';

/** An owner that can't be looked up (another pid namespace) counts as dead after this many silent milliseconds. */
const SILENCE_OF_UNKNOWN_MS = 60_000;

/** Whether a process has the task in hand, or made it in order to take it into its hands at once. */
export function hasLivingOwner({ owner, heartbeatAt, createdAt }: TaskRecord, now: number): boolean {
  if (owner === null) return false;
  const state = isAlive(owner);
  if (state !== 'unknown') return state === 'alive';
  return now - Date.parse(heartbeatAt ?? createdAt) < SILENCE_OF_UNKNOWN_MS;
}

/**
 * Who will execute a task at once: when that process dies or does not come, the task is told of as interrupted. Left out,
 * it waits for as long as it likes.
 */
export type Taker = 'this-process' | 'another-process' | undefined;

/** What tells a sweep that somebody has to have the task in hand; see `isForsaken`. */
export function promiseTaker(
  { self, now }: Context,
  taker: Taker,
): Pick<TaskRecord, 'owner' | 'heartbeatAt'> {
  if (taker === 'another-process') return { owner: null, heartbeatAt: new Date(now()).toISOString() };
  return { owner: taker === 'this-process' ? self : null, heartbeatAt: null };
}

/** A process that is to take a task has begun and opened the store by then, on the slowest of machines. */
const LONGEST_START_MS = 60_000;

/**
 * Whether a task that should be in somebody's hands is in nobody's: its process died, or the one that was to come for it
 * (which `heartbeatAt` without an owner says) did not. A task that nobody promised to take waits for as long as it likes.
 */
export function isForsaken(task: TaskRecord, now: number): boolean {
  if (!isActive(task.status)) return false;
  if (task.owner !== null) return !hasLivingOwner(task, now);
  return task.heartbeatAt !== null && now - Date.parse(task.heartbeatAt) > LONGEST_START_MS;
}
