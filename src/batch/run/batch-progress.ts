import type { Budget } from '../../attempt/limits/budget.js';
import type { Attempt } from '../../domain/batch/attempt.js';
import type { AttemptPhase, BatchObserver, SlotState } from '../batch-observer.js';
import type { AttemptJob } from '../plan/resume-plan.js';
import type { OpenRun } from '../record/run-store.js';
import { countOutcome, NO_TOTALS } from '../record/summarize-run.js';

/** Reports the progress of a batch to its observer. */
export interface Progress {
  /** Progress of the attempt in a slot. */
  slot(index: number, job: AttemptJob): SlotProgress;
  /** No more attempts are started. Reported once. */
  drain(reason: string): void;
}

export interface SlotProgress {
  phase(phase: AttemptPhase, activity?: string): void;
  end(attempt: Attempt): void;
}

interface ProgressOptions {
  readonly run: OpenRun;
  readonly budget: Budget;
  readonly now: () => number;
  readonly jobs: readonly AttemptJob[];
}

export function createProgress(observer: BatchObserver, options: ProgressOptions): Progress {
  const { run, budget, now } = options;
  const { plan } = run;
  const redone = new Set(options.jobs.map(({ item, attempt }) => `${item.id} ${attempt}`));
  const standing = run.attempts().filter(({ taskId, attempt }) => !redone.has(`${taskId} ${attempt}`));
  let totals = standing.reduce(countOutcome, NO_TOTALS);
  let done = standing.length;
  let draining: string | null = null;
  const startedAt = now();
  const slots = new Map<number, SlotState>();
  const tell = () =>
    observer.onChange?.({
      total: plan.taskIds.length * plan.attemptsPerTask,
      done,
      doneBefore: standing.length,
      totals,
      costUsd: budget.total().costUsd,
      slots: [...slots.values()].sort((a, b) => a.index - b.index),
      startedAt,
      draining,
    });
  return {
    slot: (index, { item, attempt }) => ({
      phase: (phase, activity) => {
        const before = slots.get(index);
        const since = before?.phase === phase ? before.since : now();
        slots.set(index, { index, taskId: item.id, attempt, phase, since, activity });
        tell();
      },
      end: ended => {
        slots.delete(index);
        totals = countOutcome(totals, ended);
        done++;
        observer.onAttempt?.(ended);
        tell();
      },
    }),
    drain: reason => {
      if (draining !== null) return;
      draining = reason;
      tell();
    },
  };
}
