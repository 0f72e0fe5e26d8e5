import { readFile } from 'node:fs/promises';
import type { Attempt } from '../../domain/batch/attempt.js';
import { ignoreMissing } from '../../domain/error/error.js';
import type { BatchWork } from '../attempt/batch-work.js';
import { gradeAttempt, withGrading } from '../attempt/grade-attempt.js';
import { identifyItem, identifyRegraded } from '../plan/attempt-identity.js';
import type { AttemptJob } from '../plan/resume-plan.js';
import { removeKept } from '../record/kept-attempt-files.js';

/**
 * Grades the patch of an attempt with the current graders: no agent runs, nothing is spent. Undefined
 * when the patch is gone.
 */
export async function gradeAgain(
  work: BatchWork,
  job: AttemptJob,
  before: Attempt,
): Promise<Attempt | undefined> {
  const { patchFile } = work.place.attempt(job.item.id, job.attempt);
  const patch = before.patchPath === null ? undefined : await readFile(patchFile).catch(ignoreMissing);
  if (patch === undefined) return undefined;
  const startedAt = performance.now();
  const grading = await gradeAttempt(work, job, patch);
  const identity = identifyRegraded(before.identity, job.item);
  const judged = withGrading({ ...before, identity, itemHash: identifyItem(job.item) }, grading);
  const timed = withGradeTime(judged, Math.round(performance.now() - startedAt));
  return judged.outcome === 'passed' ? withoutKept(work, timed) : timed;
}

/** The identity of the current grading. */
const withGradeTime = (attempt: Attempt, gradeMs: number): Attempt => ({
  ...attempt,
  durationMs: attempt.durationMs - attempt.timings.gradeMs + gradeMs,
  timings: { ...attempt.timings, gradeMs },
});

async function withoutKept({ context }: BatchWork, attempt: Attempt): Promise<Attempt> {
  if (attempt.worktreePath !== null) await removeKept(context, attempt.worktreePath);
  return { ...attempt, worktreePath: null };
}
