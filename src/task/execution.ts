import type { Budget } from '../attempt/limits/budget.js';
import type { Failure } from '../domain/task/failure.js';
import type { LogLine } from '../domain/task/log-line.js';
import type { Context } from '../operations/context.js';
import type { HeldTask } from './record/held-task.js';

/** Shared by everything in one run of a task. */
export interface Execution {
  readonly context: Context;
  readonly task: HeldTask;
  readonly budget: Budget;
  /** Aborted when the task is to be cancelled, is no longer ours, or its time is up. */
  readonly signal: AbortSignal;
  /** The deadline of the task in milliseconds since 1970; undefined for no limit. */
  readonly deadline: number | undefined;
  /** Writes to the log and to the observer. */
  readonly tell: (line: Omit<LogLine, 'at'>) => void;
  readonly showActivity: (stage: string, activity: string) => void;
}

/** The result of a part of the work. A failure is a result. */
export type Ending = Done | Failed | Cancelled | Gated;

export interface Done {
  readonly kind: 'done';
}

export interface Failed {
  readonly kind: 'failed';
  readonly failure: Failure;
}

export interface Cancelled {
  readonly kind: 'cancelled';
}

/** Nothing can continue before the user has approved a finished stage. */
export interface Gated {
  readonly kind: 'gated';
}

export const DONE: Done = { kind: 'done' };
export const CANCELLED: Cancelled = { kind: 'cancelled' };

export const GATED: Gated = { kind: 'gated' };

export const failed = (failure: Failure): Failed => ({ kind: 'failed', failure });
