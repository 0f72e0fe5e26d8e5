import { setTimeout as delay } from 'node:timers/promises';
import { addUsage, NO_USAGE } from '../domain/add-usage.js';
import type { Attempt } from '../domain/attempt.js';
import type { BatchRun } from '../domain/batch-run.js';
import { carrelError } from '../domain/error.js';
import type { EvalItem } from '../domain/eval-item.js';
import { isRetriedOutcome } from '../domain/outcome.js';
import type { Context } from '../operations/context.js';
import { identifyAttempt } from './attempt-identity.js';
import type { BatchWork } from './batch-work.js';
import { createCostLedger } from './cost-ledger.js';
import { createIsolationProvider } from './create-provider.js';
import { dispatch } from './dispatch.js';
import type { EvalAgent } from './eval-agent.js';
import type { AttemptPhase, BatchObserver } from './observer.js';
import { createProgress, type Progress } from './progress.js';
import { type AttemptJob, listJobs } from './resume-plan.js';
import { runAttempt } from './run-attempt.js';
import type { OpenRun } from './run-store.js';
import { readRun } from './run-store.js';

export interface BatchInput {
  readonly run: OpenRun;
  /** Those of the plan, in its order. */
  readonly items: readonly EvalItem[];
  readonly agent: EvalAgent;
  /** Begins no more attempts; those that run come to their end. */
  readonly drain?: AbortSignal | undefined;
  /** Ends those that run as well: they are cancelled. */
  readonly stop?: AbortSignal | undefined;
  readonly observer?: BatchObserver | undefined;
}

/**
 * Works through what is left of a run, so many attempts at the same time as its plan says, each recorded when it has
 * ended. Gives the run as it is then, and leaves nothing behind but its results.
 */
export async function runBatch(context: Context, input: BatchInput): Promise<BatchRun> {
  const { run, items, agent } = input;
  const { plan, place } = run;
  const { isolation, parallelism } = plan;
  const provider = createIsolationProvider({ context, isolation, parallelism, needs: agent.needs });
  const stop = input.stop ?? new AbortController().signal;
  const before = run.attempts().reduce((sum, { usage }) => addUsage(sum, usage), NO_USAGE);
  const ledger = createCostLedger(plan.costLimitUsd, before);
  const work: BatchWork = { context, plan, place, provider, agent, ledger, stop };
  const jobs = listJobs(items, plan.attemptsPerTask, identifier(work), run.attempts());
  const progress = createProgress(input.observer ?? {}, { run, ledger, now: context.now, jobs });
  const tellOfDrain = () => progress.drain(ASKED_TO_END);
  input.drain?.addEventListener('abort', tellOfDrain, { once: true });
  try {
    await begin(work, jobs);
    const next = () => (mayBegin(input, work, progress) ? jobs.shift() : undefined);
    await dispatch(parallelism, next, (job, slot) => carryOut(work, run, job, progress.slot(slot, job)));
  } finally {
    input.drain?.removeEventListener('abort', tellOfDrain);
    await provider.destroyAll();
    await run.close();
  }
  return readRun(place.directory);
}

const ASKED_TO_END = 'it was asked to come to an end';

const identifier =
  ({ agent, plan }: BatchWork) =>
  (item: EvalItem, attempt: number): string => {
    const { fingerprint } = agent;
    const { isolation, timeoutMs } = plan;
    return identifyAttempt({ item, fingerprint, isolation, attempt, timeoutMs });
  };

/** Items whose base can't be had were told when the batch was planned: one that has gone since stops the batch. */
async function begin({ provider, stop }: BatchWork, jobs: readonly AttemptJob[]): Promise<void> {
  const items = [...new Map(jobs.map(({ item }) => [item.id, item])).values()];
  const [broken] = await provider.init(items, { signal: stop });
  if (!broken) return;
  throw carrelError('DATASET_INVALID', { file: broken.taskId, problem: broken.reason });
}

function mayBegin({ drain }: BatchInput, { stop, ledger, plan }: BatchWork, progress: Progress): boolean {
  if (stop.aborted) return false;
  if (drain?.aborted) progress.drain(ASKED_TO_END);
  else if ((ledger.left() ?? 1) <= 0)
    progress.drain(`its cost limit of ${plan.costLimitUsd} US dollars is reached`);
  else return true;
  return false;
}

/** After a failure of the machine; twice as long each time. */
const RETRY_MS = 1000;
const MOST_RETRIES = 2;

async function carryOut(
  work: BatchWork,
  run: OpenRun,
  job: AttemptJob,
  slot: { phase(phase: AttemptPhase, activity?: string): void; end(attempt: Attempt): void },
): Promise<void> {
  for (let retries = 0; ; retries++) {
    const attempt = { ...(await runAttempt(work, job, slot.phase)), retries };
    const isLast = retries === MOST_RETRIES || work.stop.aborted || !isRetriedOutcome(attempt.outcome);
    if (!isLast) {
      await delay(RETRY_MS * 2 ** retries, undefined, { signal: work.stop }).catch(() => undefined);
      continue;
    }
    await run.record(attempt);
    slot.end(attempt);
    return;
  }
}
