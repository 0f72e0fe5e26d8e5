import type { Attempt } from '../domain/attempt.js';
import type { BatchRun } from '../domain/batch-run.js';
import type { EvalItem } from '../domain/eval-item.js';
import { isFinal } from '../domain/outcome.js';
import type { Context } from '../operations/context.js';
import type { BatchWork } from './batch-work.js';
import { closeBatch } from './close-batch.js';
import { createCostLedger } from './cost-ledger.js';
import { createIsolationProvider } from './create-provider.js';
import { dispatch } from './dispatch.js';
import type { EvalAgent } from './eval-agent.js';
import { gradeAgain } from './grade-again.js';
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

/** Judges the patches of a run once more, by the graders as they are now. No agent runs. */
export async function regradeRun(context: Context, input: RegradeInput): Promise<BatchRun> {
  const { run, items, stop = new AbortController().signal } = input;
  const { plan, place } = run;
  const { isolation, parallelism } = plan;
  const provider = createIsolationProvider({ context, isolation, parallelism, needs: NOTHING.needs });
  const ledger = createCostLedger(null);
  const work: BatchWork = { context, plan, place, provider, agent: NOTHING, environment: {}, ledger, stop };
  const jobs = listWork(run.attempts(), items);
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

type RegradeJob = AttemptJob & { readonly before: Attempt };

/** What was judged, and what would have been if the machine had not failed or somebody had not stopped it. */
function listWork(attempts: readonly Attempt[], items: readonly EvalItem[]): RegradeJob[] {
  const worked = attempts.filter(({ outcome, awaitsGrading }) => awaitsGrading || GRADED.has(outcome));
  return worked.flatMap(before => {
    const item = items.find(({ id }) => id === before.taskId);
    return item ? [{ item, attempt: before.attempt, identity: before.identity, before }] : [];
  });
}

const GRADED: ReadonlySet<Attempt['outcome']> = new Set(['passed', 'failed', 'grader-error']);

async function regrade(
  work: BatchWork,
  run: OpenRun,
  job: RegradeJob,
  slot: ReturnType<ReturnType<typeof createProgress>['slot']>,
): Promise<void> {
  slot.phase('grade');
  const { before, item, attempt } = job;
  const judged = await gradeAgain(work, job, before);
  if (!judged) return slot.end(before);
  if (isFinal(judged.outcome)) await run.record(judged);
  else {
    // The judgement that stands is worth more than none.
    const why = judged.outcome === 'cancelled' ? 'it was stopped' : judged.message;
    work.context.narrate(`warning: ${item.id} ${attempt} was not judged again and stays as it was: ${why}`);
  }
  slot.end(isFinal(judged.outcome) ? judged : before);
}

/** Nobody works on anything. */
const NOTHING: EvalAgent = {
  name: 'none',
  fingerprint: 'none',
  version: null,
  needs: { hosts: [], variables: [] },
  attempt: () => Promise.reject(new Error('grading alone calls no agent')),
};
