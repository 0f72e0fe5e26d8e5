import type { Attempt } from '../domain/batch/attempt.js';
import type { Totals } from '../domain/batch/batch-run.js';

/** The phases of an attempt, in order. */
export type AttemptPhase = 'acquire' | 'setup' | 'agent' | 'collect' | 'grade' | 'release';

/** What one of the parallel slots is doing. */
export interface SlotState {
  readonly index: number;
  readonly taskId: string;
  readonly attempt: number;
  readonly phase: AttemptPhase;
  /** Milliseconds since 1970. */
  readonly since: number;
  /** The agent's reported activity, or its last line of output. */
  readonly activity?: string | undefined;
}

/** Progress of a batch: attempts, totals, cost, and what each slot does. */
export interface BatchProgress {
  /** Requested attempts, including those of earlier runs. */
  readonly total: number;
  readonly done: number;
  /** Of these, the ones already recorded at the start. */
  readonly doneBefore: number;
  readonly totals: Totals;
  readonly costUsd: number | null;
  readonly slots: readonly SlotState[];
  readonly startedAt: number;
  /** Why no more attempts are started, if so. */
  readonly draining: string | null;
}

/** Receives the progress of a running batch. The batch does not wait for it, and it must not throw. */
export interface BatchObserver {
  readonly onChange?: ((progress: BatchProgress) => void) | undefined;
  /** An attempt has finished and is recorded. */
  readonly onAttempt?: ((attempt: Attempt) => void) | undefined;
}
