import { createBudget } from '../../attempt/limits/budget.js';
import { NO_USAGE } from '../../domain/agent/add-usage.js';
import type { Attempt } from '../../domain/batch/attempt.js';
import type { BatchRun } from '../../domain/batch/batch-run.js';
import type { EvalItem } from '../../domain/batch/eval-item.js';
import { isFinal } from '../../domain/batch/outcome-rules.js';
import type { Context } from '../../operations/context.js';
import type { BatchWork } from '../attempt/batch-work.js';
import type { BatchObserver } from '../batch-observer.js';
import { createBatchProvider } from '../create-provider.js';
import type { EvalAgent } from '../eval-agent.js';
import type { AttemptJob } from '../plan/resume-plan.js';
import { type OpenRun, readRun } from '../record/run-store.js';
import { createProgress } from './batch-progress.js';
import { closeBatch } from './close-batch.js';
import { dispatch } from './dispatch.js';
import { gradeAgain } from './grade-again.js';

export interface RegradeInput {
  readonly run: OpenRun;
  /** The items as they are in the dataset now. */
  readonly items: readonly EvalItem[];
  readonly stop?: AbortSignal | undefined;
  readonly observer?: BatchObserver | undefined;
}

/** Regrades the patches of a run with the current graders. No agent runs. */
export async function regradeRun(context: Context, input: RegradeInput): Promise<BatchRun> {
  const { run, items } = input;
  const { plan, place, requireOurs } = run;
  const stop = AbortSignal.any([...(input.stop ? [input.stop] : []), run.lost]);
  const { isolation, parallelism } = plan;
  const provider = createBatchProvider(context, { isolation, parallelism });
  const budget = createBudget({}, NO_USAGE);
  const own = { context, plan, place, provider, budget, stop, requireOurs };
  const work: BatchWork = { ...own, agent: NOTHING, environment: {} };
  const jobs = listWork(run.attempts(), items);
  const progress = createProgress(input.observer ?? {}, { run, budget, now: context.now, jobs });
  try {
    // An item with an unavailable base reports that again when its workspace is requested.
    await provider.init([...new Set(jobs.map(({ item }) => item))], { signal: stop });
    await dispatch(
      parallelism,
      () => (stop.aborted ? undefined : jobs.shift()),
      (job, slot) => regrade(work, run, job, progress.slot(slot, job)),
    );
    requireOurs();
  } finally {
    await closeBatch(work, run);
  }
  return readRun(place.directory);
}

type RegradeJob = AttemptJob & { readonly before: Attempt };

/** Graded attempts, and those that an infrastructure failure or a stop left ungraded. */
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
    // The existing grade is better than none.
    const why = judged.outcome === 'cancelled' ? 'it was stopped' : judged.message;
    work.context.narrate(`warning: ${item.id} ${attempt} was not regraded and keeps its result: ${why}`);
  }
  slot.end(isFinal(judged.outcome) ? judged : before);
}

/** An agent that does no work. */
const NOTHING: EvalAgent = {
  name: 'none',
  fingerprint: 'none',
  version: null,
  needs: { hosts: [], variables: [] },
  attempt: () => Promise.reject(new Error('regrading calls no agent')),
};
