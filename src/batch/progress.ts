import type { Attempt } from '../domain/attempt.js';
import type { CostLedger } from './cost-ledger.js';
import type { AttemptPhase, BatchObserver, SlotState } from './observer.js';
import type { AttemptJob } from './resume-plan.js';
import type { OpenRun } from './run-store.js';
import { countOutcome, NO_TOTALS } from './summarize.js';

/** Tells whoever looks on how far a batch is. */
export interface Progress {
  /** What becomes of the attempt in a slot. */
  slot(index: number, job: AttemptJob): SlotProgress;
  /** No more attempts are begun. Told once. */
  drain(reason: string): void;
}

export interface SlotProgress {
  phase(phase: AttemptPhase, activity?: string): void;
  end(attempt: Attempt): void;
}

interface ProgressOptions {
  readonly run: OpenRun;
  readonly ledger: CostLedger;
  readonly now: () => number;
  readonly jobs: readonly AttemptJob[];
}

export function createProgress(observer: BatchObserver, options: ProgressOptions): Progress {
  const { run, ledger, now } = options;
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
      costUsd: ledger.total().costUsd,
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
