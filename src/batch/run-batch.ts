import { createBudget } from '../attempt/limits/budget.js';
import { NO_USAGE } from '../domain/agent/add-usage.js';
import type { Attempt } from '../domain/batch/attempt.js';
import type { BatchRun } from '../domain/batch/batch-run.js';
import type { EvalItem } from '../domain/batch/eval-item.js';
import { registerServerToken } from '../operations/command/register-secrets.js';
import type { Context } from '../operations/context.js';
import type { BatchWork } from './attempt/batch-work.js';
import { refuseAttempt } from './attempt/run-item-attempt.js';
import type { BatchObserver } from './batch-observer.js';
import { createBatchProvider } from './create-provider.js';
import type { EvalAgent } from './eval-agent.js';
import { identifyAttempt } from './plan/attempt-identity.js';
import { describeMachine } from './plan/describe-environment.js';
import { type AttemptJob, listJobs } from './plan/resume-plan.js';
import { orClose } from './record/close-on-error.js';
import type { OpenRun } from './record/run-store.js';
import { readRun } from './record/run-store.js';
import { createProgress, type Progress } from './run/batch-progress.js';
import { startBatchWebhooks } from './run/batch-webhooks.js';
import { closeBatch } from './run/close-batch.js';
import { dispatch } from './run/dispatch.js';
import { runWithRetries } from './run/run-with-retries.js';

export interface BatchInput {
  readonly run: OpenRun;
  /** The items of the plan, in order. */
  readonly items: readonly EvalItem[];
  readonly agent: EvalAgent;
  /** Starts no more attempts; running ones finish. */
  readonly drain?: AbortSignal | undefined;
  /** Also cancels running attempts. */
  readonly stop?: AbortSignal | undefined;
  readonly observer?: BatchObserver | undefined;
  /** Whether the user's webhooks get its events; true by default. */
  readonly notify?: boolean | undefined;
}

/**
 * Runs the remaining attempts of a run, as many in parallel as its plan says, and records each when it has
 * finished. Returns the run in its final state, and leaves nothing behind except its results.
 */
export async function runBatch(context: Context, input: BatchInput): Promise<BatchRun> {
  const { run, items, agent } = input;
  const { plan, place } = run;
  const { isolation, parallelism } = plan;
  registerServerToken(context.redactor, context.places.stateDir);
  // The redactor learns what the user's file passes to agents; an agent on the host can read it without being one of them.
  await orClose(run, () => context.loadConfig(null));
  const provider = createBatchProvider(context, { isolation, parallelism, hosts: agent.needs.hosts });
  const stop = AbortSignal.any([...(input.stop ? [input.stop] : []), run.lost]);
  const budget = createBudget({ costUsd: plan.costLimitUsd ?? undefined }, run.spentBefore ?? NO_USAGE);
  const environment = await orClose(run, () => describeMachine(context, agent));
  const { requireOurs } = run;
  const work: BatchWork = {
    ...{ context, plan, place, provider, environment, budget, stop, requireOurs },
    agent: fence(agent, requireOurs),
  };
  const jobs = listJobs(items, plan.attemptsPerTask, identifier(work), run.attempts());
  const progress = createProgress(input.observer ?? {}, { run, budget, now: context.now, jobs });
  const tellOfDrain = () => progress.drain(ASKED_TO_END);
  input.drain?.addEventListener('abort', tellOfDrain, { once: true });
  const tellOfEnd = input.notify === false ? undefined : await startBatchWebhooks(context, plan);
  try {
    const reasons = await begin(work, jobs);
    const mayGoOn = (isPaid: boolean) => mayBegin(input, work, progress, isPaid);
    const next = () => (mayGoOn(jobs[0]?.ungraded !== undefined) ? jobs.shift() : undefined);
    await dispatch(parallelism, next, async (job, index) => {
      const slot = progress.slot(index, job);
      const reason = reasons.get(job.item.id);
      if (reason !== undefined) return slot.end(await refuse(work, run, job, reason));
      const attempt = await runWithRetries(work, job, slot, mayGoOn);
      await run.record(attempt);
      slot.end(attempt);
    });
    requireOurs();
  } finally {
    input.drain?.removeEventListener('abort', tellOfDrain);
    await closeBatch(work, run);
  }
  const ended = await readRun(place.directory);
  await tellOfEnd?.(ended);
  return ended;
}

/** An agent starts, and costs money, only while this process owns the run. */
const fence = (agent: EvalAgent, requireOurs: () => void): EvalAgent => ({
  ...agent,
  attempt: async call => {
    requireOurs();
    return agent.attempt(call);
  },
});

const ASKED_TO_END = 'it was asked to stop';

const identifier =
  ({ agent, plan }: BatchWork) =>
  (item: EvalItem, attempt: number): string => {
    const { fingerprint } = agent;
    const { isolation, timeoutMs } = plan;
    return identifyAttempt({ item, fingerprint, isolation, attempt, timeoutMs });
  };

/** Reports by id which items have an unavailable base, and why: the others run without them. */
async function begin(
  { provider, stop }: BatchWork,
  jobs: readonly AttemptJob[],
): Promise<ReadonlyMap<string, string>> {
  const items = [...new Map(jobs.map(({ item }) => [item.id, item])).values()];
  const broken = await provider.init(items, { signal: stop });
  return new Map(broken.map(({ taskId, reason }) => [taskId, reason]));
}

/** While its base is not available, a result cannot be checked for changes: an old result is better than none. */
async function refuse(work: BatchWork, run: OpenRun, job: AttemptJob, reason: string): Promise<Attempt> {
  const { item, attempt } = job;
  const before = run.attempts().find(each => each.taskId === item.id && each.attempt === attempt);
  if (before) {
    work.context.narrate(`warning: ${item.id} ${attempt} keeps its result: ${reason}`);
    return before;
  }
  const refused = refuseAttempt(work, job, reason);
  await run.record(refused);
  return refused;
}

/** Work that is already paid for is graded even when the cost limit is reached. */
function mayBegin(
  { drain }: BatchInput,
  { stop, budget, plan }: BatchWork,
  progress: Progress,
  isPaid: boolean,
): boolean {
  if (stop.aborted) return false;
  if (drain?.aborted) progress.drain(ASKED_TO_END);
  else if (!isPaid && (budget.leftUsd() ?? 1) <= 0)
    progress.drain(`it reached its cost limit of ${plan.costLimitUsd} US dollars`);
  else return true;
  return false;
}
