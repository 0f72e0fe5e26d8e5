import type { Attempt, Grade, Outcome } from '../../domain/batch/attempt.js';
import { isFinal } from '../../domain/batch/outcome-rules.js';
import { type GradeRequest, gradeWork } from '../grade/grade-work.js';
import type { AttemptJob } from '../plan/resume-plan.js';
import { openAttemptLog } from './attempt-log.js';
import type { BatchWork } from './batch-work.js';
import { describeBreakdown } from './describe-breakdown.js';

export interface Grading {
  readonly outcome: Extract<Outcome, 'passed' | 'failed' | 'grader-error' | 'infrastructure' | 'cancelled'>;
  readonly score: number;
  readonly grades: readonly Grade[];
  readonly findings: readonly string[];
  /** Why it could not be graded; otherwise the agent's message stays. */
  readonly message?: string;
}

/** Grades a patch in a workspace that no agent has seen. Every failure maps to an outcome. */
export async function gradeAttempt(work: BatchWork, job: AttemptJob, patch: Buffer): Promise<Grading> {
  const grading = await gradeInCopy(work, job, patch).catch(async error => ({
    ...NOT_GRADED,
    message: await describeBreakdown(error, work.place.directory),
  }));
  if (!work.stop.aborted || grading.outcome === 'passed') return grading;
  return { ...NOT_GRADED, outcome: 'cancelled' };
}

const NOT_GRADED: Grading = { outcome: 'infrastructure', score: 0, grades: [], findings: [] };

async function gradeInCopy(work: BatchWork, job: AttemptJob, patch: Buffer): Promise<Grading> {
  const { provider, stop } = work;
  const environment = await provider.acquire(job.item, { signal: stop, setup: false });
  try {
    return await gradeIn(work, job, { environment, patch });
  } finally {
    await provider.release(environment);
  }
}

async function gradeIn(
  { context, provider, place, stop }: BatchWork,
  job: AttemptJob,
  { environment, patch }: Pick<GradeRequest, 'environment' | 'patch'>,
): Promise<Grading> {
  const log = openAttemptLog(place.attempt(job.item.id, job.attempt).gradeLogFile, context.redactor.text);
  try {
    const { infrastructure, ...graded } = await gradeWork({
      item: job.item,
      environment,
      patch,
      signal: stop,
      onLine: (stream, text) => log.line(stream, text),
      reset: () => provider.reset(environment),
    });
    if (infrastructure !== undefined)
      return { ...NOT_GRADED, findings: graded.findings, message: infrastructure };
    return describe(graded);
  } finally {
    log.close();
  }
}

function describe(graded: {
  readonly grades: readonly Grade[];
  readonly score: number;
  readonly passed: boolean;
  readonly findings: readonly string[];
}): Grading {
  const broken = graded.grades.find(grade => grade.error !== null);
  const { grades, score, findings } = graded;
  if (broken) {
    const message = `${broken.name} could not grade the attempt: ${broken.error}`;
    return { outcome: 'grader-error', score: 0, grades, findings, message };
  }
  return { outcome: graded.passed ? 'passed' : 'failed', score, grades, findings };
}

/** The record of an attempt after regrading the same work. */
export function withGrading(attempt: Attempt, grading: Grading): Attempt {
  const { outcome, score, grades, findings } = grading;
  const { agentMessage, ...rest } = attempt;
  // A message about an infrastructure or grader failure no longer applies.
  const isReason = ['infrastructure', 'grader-error'].includes(attempt.outcome);
  const words = isReason ? (agentMessage ?? null) : attempt.message;
  return {
    ...rest,
    ...(!isFinal(outcome) && agentMessage !== undefined && { agentMessage }),
    outcome,
    score,
    graders: [...grades],
    findings: [...new Set([...attempt.findings, ...findings])],
    message: grading.message ?? words,
    awaitsGrading: !isFinal(outcome),
  };
}
