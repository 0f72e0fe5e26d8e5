import { readFile } from 'node:fs/promises';
import type { Attempt } from '../domain/attempt.js';
import { ignoreMissing } from '../domain/error.js';
import { identifyItem, identifyRegraded } from './attempt-identity.js';
import type { BatchWork } from './batch-work.js';
import { gradeAttempt, withGrading } from './grade-attempt.js';
import { removeKept } from './kept-files.js';
import type { AttemptJob } from './resume-plan.js';

/**
 * Judges the patch that an attempt has left, by the graders as they are now: no agent runs, nothing is spent. Undefined
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

/** That of the judgement that stands. */
const withGradeTime = (attempt: Attempt, gradeMs: number): Attempt => ({
  ...attempt,
  durationMs: attempt.durationMs - attempt.timings.gradeMs + gradeMs,
  timings: { ...attempt.timings, gradeMs },
});

async function withoutKept({ context }: BatchWork, attempt: Attempt): Promise<Attempt> {
  if (attempt.worktreePath !== null) await removeKept(context, attempt.worktreePath);
  return { ...attempt, worktreePath: null };
}
