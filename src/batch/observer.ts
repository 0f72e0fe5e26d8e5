import type { Attempt } from '../domain/attempt.js';
import type { Totals } from '../domain/batch-run.js';

export type AttemptPhase = 'acquire' | 'setup' | 'agent' | 'collect' | 'grade' | 'release';

/** What one of the places for attempts at the same time is doing. */
export interface SlotState {
  readonly index: number;
  readonly taskId: string;
  readonly attempt: number;
  readonly phase: AttemptPhase;
  /** Milliseconds since 1970. */
  readonly since: number;
  /** What the agent says that it does, or its last line. */
  readonly activity?: string | undefined;
}

export interface BatchProgress {
  /** Attempts that were asked for, those of earlier runs included. */
  readonly total: number;
  readonly done: number;
  /** Of these, what stood already when this began. */
  readonly doneBefore: number;
  readonly totals: Totals;
  readonly costUsd: number | null;
  readonly slots: readonly SlotState[];
  readonly startedAt: number;
  /** Whether no more attempts are begun, and why. */
  readonly draining: string | null;
}

/** Whoever looks on while a batch runs. Nothing waits for it, and it must not throw. */
export interface BatchObserver {
  readonly onChange?: ((progress: BatchProgress) => void) | undefined;
  /** An attempt has ended and is recorded. */
  readonly onAttempt?: ((attempt: Attempt) => void) | undefined;
}
