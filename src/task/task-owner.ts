import type { TaskRecord } from '../domain/task.js';
import { isActive } from '../domain/task-state.js';
import { isAlive } from '../exec/process-identity.js';

/** An owner that can't be looked up (another pid namespace) counts as dead after this many silent milliseconds. */
const SILENCE_OF_UNKNOWN_MS = 60_000;

/** Whether a process has the task in hand. */
export function hasLivingOwner({ owner, heartbeatAt }: TaskRecord, now: number): boolean {
  if (owner === null) return false;
  const state = isAlive(owner);
  if (state !== 'unknown') return state === 'alive';
  return heartbeatAt !== null && now - Date.parse(heartbeatAt) < SILENCE_OF_UNKNOWN_MS;
}

/** A process that is to take a task has begun and opened the store by then, on the slowest of machines. */
const LONGEST_START_MS = 60_000;

/** Whether a task that should be in somebody's hands is in nobody's: its process died, or none came to take it. */
export function isForsaken(task: TaskRecord, now: number): boolean {
  if (!isActive(task.status)) return false;
  if (task.owner !== null) return !hasLivingOwner(task, now);
  return now - Date.parse(task.heartbeatAt ?? task.createdAt) > LONGEST_START_MS;
}
