import { LONGEST_SILENCE_MS } from '../../domain/process-identity.js';
import type { TaskRecord } from '../../domain/task/task.js';
import { isActive } from '../../domain/task/task-state.js';
import { findOwnerState } from '../../exec/process/identify-process.js';
import type { Context } from '../../operations/context.js';

/** Whether a process owns the task, or created it to execute it immediately. */
export function hasLivingOwner({ owner, heartbeatAt, createdAt }: TaskRecord, now: number): boolean {
  if (owner === null) return false;
  const state = findOwnerState(owner);
  if (state !== 'unknown') return state === 'alive';
  return now - Date.parse(heartbeatAt ?? createdAt) < LONGEST_SILENCE_MS;
}

/**
 * The process that will execute a task immediately: if it dies or does not take the task, the task is reported as interrupted. Without it,
 * the task waits indefinitely.
 */
export type Taker = 'this-process' | 'another-process' | undefined;

/** Marks a task that a process must own; see `isAbandonedTask`. */
export function promiseTaker(
  { self, now }: Pick<Context, 'now' | 'self'>,
  taker: Taker,
): Pick<TaskRecord, 'owner' | 'heartbeatAt'> {
  if (taker === 'another-process') return { owner: null, heartbeatAt: new Date(now()).toISOString() };
  return { owner: taker === 'this-process' ? self : null, heartbeatAt: null };
}

/** By then a process that will take a task has opened the store, even on the slowest machine. */
const LONGEST_START_MS = 60_000;

/**
 * Whether a task that should have an owner has none: its process died, or the process that should have taken it
 * (`heartbeatAt` without an owner) did not. A task without such a promise waits indefinitely.
 */
export function isAbandonedTask(task: TaskRecord, now: number): boolean {
  if (!isActive(task.status)) return false;
  if (task.owner !== null) return !hasLivingOwner(task, now);
  return task.heartbeatAt !== null && now - Date.parse(task.heartbeatAt) > LONGEST_START_MS;
}
