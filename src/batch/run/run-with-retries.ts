import { setTimeout as delay } from 'node:timers/promises';
import { addUsage, NO_USAGE } from '../../domain/agent/add-usage.js';
import type { Attempt } from '../../domain/batch/attempt.js';
import { isRetriedOutcome } from '../../domain/batch/outcome-rules.js';
import type { BatchWork } from '../attempt/batch-work.js';
import { runAttempt } from '../attempt/run-item-attempt.js';
import type { AttemptJob } from '../plan/resume-plan.js';
import { removeKept } from '../record/kept-attempt-files.js';
import type { SlotProgress } from './batch-progress.js';
import { gradeAgain } from './grade-again.js';

/** Delay after an infrastructure failure; doubles each time. */
const RETRY_MS = 1000;
const MOST_RETRIES = 2;

/** Repeats until the result is not an infrastructure failure. If the agent has finished its work, only the grading is repeated. */
export async function runWithRetries(
  work: BatchWork,
  job: AttemptJob,
  slot: SlotProgress,
  mayContinue: (isPaid: boolean) => boolean,
): Promise<Attempt> {
  let before = job.ungraded;
  for (let retries = 0; ; retries++) {
    const attempt = await tryOnce(work, job, slot, { before, mayContinue: mayContinue });
    const { outcome, awaitsGrading } = attempt;
    if (awaitsGrading && work.isGradedElsewhere) return attempt;
    if (retries === MOST_RETRIES || !isRetriedOutcome(outcome) || !mayContinue(awaitsGrading)) return attempt;
    await delay(RETRY_MS * 2 ** retries, undefined, { signal: work.stop }).catch(() => undefined);
    if (!mayContinue(awaitsGrading)) return attempt;
    before = attempt;
  }
}

interface RetryState {
  readonly before: Attempt | undefined;
  readonly mayContinue: (isPaid: boolean) => boolean;
}

/** The usage of all tries of this batch together; what an earlier batch recorded stays in its own line. */
async function tryOnce(
  work: BatchWork,
  job: AttemptJob,
  slot: SlotProgress,
  { before, mayContinue }: RetryState,
): Promise<Attempt> {
  const retries = before === undefined ? 0 : before.retries + (isRetriedOutcome(before.outcome) ? 1 : 0);
  if (before?.awaitsGrading) {
    slot.phase('grade');
    const graded = await gradeAgain(work, job, before);
    if (graded) return { ...graded, retries };
    // It was started because it costs nothing more.
    if (!mayContinue(false)) return { ...before, awaitsGrading: false };
  }
  if (before?.worktreePath) await removeKept(work.context, before.worktreePath);
  const tried = await runAttempt(work, job, slot.phase);
  const isRecorded = before?.startedAt === job.ungraded?.startedAt;
  const usage = addUsage(isRecorded ? NO_USAGE : (before?.usage ?? NO_USAGE), tried.usage);
  return { ...tried, usage, costUsd: usage.costUsd, retries };
}
