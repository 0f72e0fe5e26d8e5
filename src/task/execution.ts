import type { Failure } from '../domain/failure.js';
import type { LogLine } from '../domain/log-line.js';
import type { Context } from '../operations/context.js';
import type { Budget } from './budget.js';
import type { HeldTask } from './held-task.js';

/** What everything that happens during one run of a task works with. */
export interface Execution {
  readonly context: Context;
  readonly task: HeldTask;
  readonly budget: Budget;
  /** Aborted when the task is to be cancelled, is no longer ours, or its time is over. */
  readonly signal: AbortSignal;
  /** When the time of the whole task is over, in milliseconds since 1970; undefined for no limit. */
  readonly deadline: number | undefined;
  /** To the log and to whoever looks on. */
  readonly tell: (line: Omit<LogLine, 'at'>) => void;
  readonly showActivity: (stage: string, activity: string) => void;
}

/** How a part of the work went. Failing is a result. */
export type Ending = Done | Failed | Cancelled;

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

export const DONE: Done = { kind: 'done' };
export const CANCELLED: Cancelled = { kind: 'cancelled' };

export const failed = (failure: Failure): Failed => ({ kind: 'failed', failure });
