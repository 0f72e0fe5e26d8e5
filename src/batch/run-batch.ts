import type { Attempt } from '../domain/attempt.js';
import type { BatchRun } from '../domain/batch-run.js';
import type { EvalItem } from '../domain/eval-item.js';
import type { Context } from '../operations/context.js';
import { identifyAttempt } from './attempt-identity.js';
import type { BatchWork } from './batch-work.js';
import { carryOutAttempt } from './carry-out-attempt.js';
import { closeBatch } from './close-batch.js';
import { createCostLedger } from './cost-ledger.js';
import { createIsolationProvider } from './create-provider.js';
import { describeMachine } from './describe-environment.js';
import { dispatch } from './dispatch.js';
import type { EvalAgent } from './eval-agent.js';
import type { BatchObserver } from './observer.js';
import { orClose } from './or-close.js';
import { createProgress, type Progress } from './progress.js';
import { type AttemptJob, listJobs } from './resume-plan.js';
import { refuseAttempt } from './run-attempt.js';
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
  const ledger = createCostLedger(plan.costLimitUsd, run.spentBefore);
  const environment = await orClose(run, () => describeMachine(context, agent));
  const work: BatchWork = { context, plan, place, provider, agent, environment, ledger, stop };
  const jobs = listJobs(items, plan.attemptsPerTask, identifier(work), run.attempts());
  const progress = createProgress(input.observer ?? {}, { run, ledger, now: context.now, jobs });
  const tellOfDrain = () => progress.drain(ASKED_TO_END);
  input.drain?.addEventListener('abort', tellOfDrain, { once: true });
  try {
    const reasons = await begin(work, jobs);
    const mayGoOn = (isPaid: boolean) => mayBegin(input, work, progress, isPaid);
    const next = () => (mayGoOn(jobs[0]?.ungraded !== undefined) ? jobs.shift() : undefined);
    await dispatch(parallelism, next, async (job, index) => {
      const slot = progress.slot(index, job);
      const reason = reasons.get(job.item.id);
      if (reason !== undefined) return slot.end(await refuse(work, run, job, reason));
      const attempt = await carryOutAttempt(work, job, slot, mayGoOn);
      await run.record(attempt);
      slot.end(attempt);
    });
  } finally {
    input.drain?.removeEventListener('abort', tellOfDrain);
    await closeBatch(work, run);
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

/** Tells by their id which items have a base that can't be had, and why: the others go on without them. */
async function begin(
  { provider, stop }: BatchWork,
  jobs: readonly AttemptJob[],
): Promise<ReadonlyMap<string, string>> {
  const items = [...new Map(jobs.map(({ item }) => [item.id, item])).values()];
  const broken = await provider.init(items, { signal: stop });
  return new Map(broken.map(({ taskId, reason }) => [taskId, reason]));
}

/** Whether a result would still stand nobody knows while its base can't be had: it is worth more than none. */
async function refuse(work: BatchWork, run: OpenRun, job: AttemptJob, reason: string): Promise<Attempt> {
  const { item, attempt } = job;
  const before = run.attempts().find(each => each.taskId === item.id && each.attempt === attempt);
  if (before) {
    work.context.narrate(`warning: ${item.id} ${attempt} stays as it was: ${reason}`);
    return before;
  }
  const refused = refuseAttempt(work, job, reason);
  await run.record(refused);
  return refused;
}

/** Work that is paid for is judged although the cost limit is reached. */
function mayBegin(
  { drain }: BatchInput,
  { stop, ledger, plan }: BatchWork,
  progress: Progress,
  isPaid: boolean,
): boolean {
  if (stop.aborted) return false;
  if (drain?.aborted) progress.drain(ASKED_TO_END);
  else if (!isPaid && (ledger.left() ?? 1) <= 0)
    progress.drain(`its cost limit of ${plan.costLimitUsd} US dollars is reached`);
  else return true;
  return false;
}
