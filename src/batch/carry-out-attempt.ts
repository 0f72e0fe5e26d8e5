import { setTimeout as delay } from 'node:timers/promises';
import { addUsage, NO_USAGE } from '../domain/add-usage.js';
import type { Attempt } from '../domain/attempt.js';
import { isRetriedOutcome } from '../domain/outcome.js';
import type { BatchWork } from './batch-work.js';
import { gradeAgain } from './grade-again.js';
import { removeKept } from './kept-files.js';
import type { SlotProgress } from './progress.js';
import type { AttemptJob } from './resume-plan.js';
import { runAttempt } from './run-attempt.js';

/** After a failure of the machine; twice as long each time. */
const RETRY_MS = 1000;
const MOST_RETRIES = 2;

/** Until it is more than a failure of the machine. Where the agent has done its work, only the grading is tried again. */
export async function carryOutAttempt(
  work: BatchWork,
  job: AttemptJob,
  slot: SlotProgress,
  mayGoOn: (isPaid: boolean) => boolean,
): Promise<Attempt> {
  let before = job.ungraded;
  for (let retries = 0; ; retries++) {
    const attempt = await tryOnce(work, job, slot, { before, mayGoOn });
    const { outcome, awaitsGrading } = attempt;
    if (retries === MOST_RETRIES || !isRetriedOutcome(outcome) || !mayGoOn(awaitsGrading)) return attempt;
    await delay(RETRY_MS * 2 ** retries, undefined, { signal: work.stop }).catch(() => undefined);
    if (!mayGoOn(awaitsGrading)) return attempt;
    before = attempt;
  }
}

interface Course {
  readonly before: Attempt | undefined;
  readonly mayGoOn: (isPaid: boolean) => boolean;
}

/** The usage is that of all tries of this batch together; what an earlier one has recorded stays in its own line. */
async function tryOnce(
  work: BatchWork,
  job: AttemptJob,
  slot: SlotProgress,
  { before, mayGoOn }: Course,
): Promise<Attempt> {
  const retries = before === undefined ? 0 : before.retries + (isRetriedOutcome(before.outcome) ? 1 : 0);
  if (before?.awaitsGrading) {
    slot.phase('grade');
    const graded = await gradeAgain(work, job, before);
    if (graded) return { ...graded, retries };
    // It was begun because there was nothing more to pay.
    if (!mayGoOn(false)) return { ...before, awaitsGrading: false };
  }
  if (before?.worktreePath) await removeKept(work.context, before.worktreePath);
  const tried = await runAttempt(work, job, slot.phase);
  const isRecorded = before?.startedAt === job.ungraded?.startedAt;
  const usage = addUsage(isRecorded ? NO_USAGE : (before?.usage ?? NO_USAGE), tried.usage);
  return { ...tried, usage, costUsd: usage.costUsd, retries };
}
