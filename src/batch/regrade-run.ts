import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Attempt } from '../domain/attempt.js';
import type { BatchRun } from '../domain/batch-run.js';
import { ignoreMissing } from '../domain/error.js';
import type { EvalItem } from '../domain/eval-item.js';
import type { Context } from '../operations/context.js';
import { identifyItem, identifyRegraded } from './attempt-identity.js';
import type { BatchWork } from './batch-work.js';
import { describeBreakdown } from './breakdown.js';
import { closeBatch } from './close-batch.js';
import { createCostLedger } from './cost-ledger.js';
import { createIsolationProvider } from './create-provider.js';
import { dispatch } from './dispatch.js';
import type { EvalAgent } from './eval-agent.js';
import { type Grading, gradeAttempt, withGrading } from './grade-attempt.js';
import type { BatchObserver } from './observer.js';
import { createProgress } from './progress.js';
import type { AttemptJob } from './resume-plan.js';
import { type OpenRun, readRun } from './run-store.js';

export interface RegradeInput {
  readonly run: OpenRun;
  /** As the data set has them now. */
  readonly items: readonly EvalItem[];
  readonly stop?: AbortSignal | undefined;
  readonly observer?: BatchObserver | undefined;
}

const GRADED: ReadonlySet<Attempt['outcome']> = new Set(['passed', 'failed', 'grader-error']);

/** Judges the patches of a run once more, by the graders as they are now. No agent runs. */
export async function regradeRun(context: Context, input: RegradeInput): Promise<BatchRun> {
  const { run, items, stop = new AbortController().signal } = input;
  const { plan, place } = run;
  const { isolation, parallelism } = plan;
  const provider = createIsolationProvider({ context, isolation, parallelism, needs: NOTHING.needs });
  const ledger = createCostLedger(null);
  const work: BatchWork = { context, plan, place, provider, agent: NOTHING, ledger, stop };
  const graded = run.attempts().filter(({ outcome }) => GRADED.has(outcome));
  const jobs = graded.flatMap(attempt => {
    const item = items.find(({ id }) => id === attempt.taskId);
    return item ? [{ item, attempt: attempt.attempt, identity: attempt.identity, before: attempt }] : [];
  });
  const progress = createProgress(input.observer ?? {}, { run, ledger, now: context.now, jobs });
  try {
    // One whose base can't be had says so again when its workspace is asked for.
    await provider.init([...new Set(jobs.map(({ item }) => item))], { signal: stop });
    await dispatch(
      parallelism,
      () => (stop.aborted ? undefined : jobs.shift()),
      (job, slot) => regrade(work, run, job, progress.slot(slot, job)),
    );
  } finally {
    await closeBatch(work, run);
  }
  return readRun(place.directory);
}

async function regrade(
  work: BatchWork,
  run: OpenRun,
  job: AttemptJob & { readonly before: Attempt },
  slot: ReturnType<ReturnType<typeof createProgress>['slot']>,
): Promise<void> {
  slot.phase('grade');
  const { before } = job;
  const file = before.patchPath === null ? undefined : join(work.place.directory, before.patchPath);
  const patch = file === undefined ? undefined : await readFile(file).catch(ignoreMissing);
  const identity = identifyRegraded(before.identity, job.item);
  const grading = patch && (await judgeAgain(work, job, patch));
  if (!grading) return slot.end(before);
  const attempt = withGrading({ ...before, identity, itemHash: identifyItem(job.item) }, grading);
  await run.record(attempt);
  slot.end(attempt);
}

/** Undefined when it came to no judgement, which is told: the one that stands is worth more than none. */
async function judgeAgain(work: BatchWork, job: AttemptJob, patch: Buffer): Promise<Grading | undefined> {
  const grading = await gradeAttempt(work, job, patch).catch(async error => ({
    outcome: 'infrastructure' as const,
    message: work.stop.aborted ? undefined : await describeBreakdown(error, work.place.directory),
  }));
  if (grading.outcome !== 'infrastructure') return grading;
  const why = work.stop.aborted ? 'it was stopped' : grading.message;
  work.context.narrate(
    `warning: ${job.item.id} ${job.attempt} was not judged again and stays as it was: ${why}`,
  );
  return undefined;
}

/** Nobody works on anything. */
const NOTHING: EvalAgent = {
  name: 'none',
  fingerprint: 'none',
  version: null,
  needs: { hosts: [], variables: [] },
  attempt: () => Promise.reject(new Error('grading alone calls no agent')),
};
