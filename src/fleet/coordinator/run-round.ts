import { setTimeout as delay } from 'node:timers/promises';
import { refuseAttempt } from '../../batch/attempt/run-item-attempt.js';
import type { AttemptJob } from '../../batch/plan/resume-plan.js';
import type { JobResult } from '../engine/job.js';
import type { RunProgress, RunTerms } from '../engine/run.js';
import { providerOf } from '../travel/agent/provider-of.js';
import { packWork } from '../travel/result/pack-work.js';
import { type JobPart, openSubmitter } from '../travel/submit-item.js';
import { acknowledge, type FleetBatch, mirrorOne } from './fleet-batch.js';
import { attendRun, createFleetView, type FleetView } from './fleet-view.js';
import { formatTerms, type Round } from './rounds.js';
import { submitRound, whenAvailable } from './submit-round.js';

export interface RoundWork {
  readonly round: Round;
  readonly jobs: readonly AttemptJob[];
  /** The sequence of the last result that is mirrored. */
  readonly after: number;
  /** What the round has spent before. */
  readonly spentUsd: number;
}

const ASKED_TO_END = 'it was asked to stop';

/** Submits the jobs of a round and mirrors its results until all are done, or it is drained or stopped. */
export async function runRound(batch: FleetBatch, work: RoundWork): Promise<void> {
  const { context, input } = batch;
  const { engine, run, drain, stop } = input;
  const { id } = work.round;
  const progress = batch.createProgress(work.jobs);
  const view = createFleetView(context, progress, work.jobs);
  const ending = new AbortController();
  const terms = termsOf(batch, work);
  await whenAvailable(() => engine.submit(terms, []), ending.signal);
  const submitted = submitAll(batch, work, { terms, view, signal: ending.signal });
  // What is submitted after a cancellation would wait again.
  const cancel = (claimed: 'finish' | 'stop') => {
    ending.abort();
    settled(submitted)
      .then(() => engine.cancel(id, { claimed }))
      .catch(error => context.narrate(`warning: cannot cancel ${id}: ${String(error)}`));
  };
  const onDrain = (reason = ASKED_TO_END) => {
    if (!ending.signal.aborted) cancel('finish');
    progress.drain(reason);
  };
  const forget = listen([
    [drain, () => onDrain()],
    [stop, () => cancel('stop')],
    [run.lost, () => ending.abort()],
  ]);
  const endAttending = attendRun(engine, id, {
    onLook: seen => {
      view.look(seen);
      const limit = isSpent(seen) ? run.plan.costLimitUsd : null;
      if (limit !== null) onDrain(`it reached its cost limit of ${limit} US dollars`);
    },
    onDead: hosts => context.narrate(`${hosts.join(', ')} stopped answering; other workers do its attempts`),
  });
  try {
    await mirrorAll(batch, work, { view, submitted });
    await submitted;
  } finally {
    ending.abort();
    forget();
    await endAttending();
    await settled(submitted);
  }
}

const settled = (promise: Promise<unknown>): Promise<unknown> => promise.catch(() => undefined);

/** Calls back when a signal is aborted, or has been. Returns how to stop. */
function listen(reactions: readonly (readonly [AbortSignal | undefined, () => void])[]): () => void {
  for (const [signal, react] of reactions) {
    if (signal?.aborted) react();
    else signal?.addEventListener('abort', react, { once: true });
  }
  return () => {
    for (const [signal, react] of reactions) signal?.removeEventListener('abort', react);
  };
}

/** Earlier rounds, and attempts on this machine, have spent a part of the limit. */
function termsOf({ input, budget }: FleetBatch, { round, spentUsd }: RoundWork): RunTerms {
  const { parallelism, costLimitUsd } = input.run.plan;
  // Grading costs nothing.
  const limit = round.terms.part === 'grade' ? null : costLimitUsd;
  const before = Math.max(0, (budget.total().costUsd ?? 0) - spentUsd);
  const left = limit === null ? null : Math.max(0, limit - before);
  return { run: round.id, parallelism, costLimitUsd: left, plan: formatTerms(round.terms) };
}

const isSpent = ({ costLimitUsd, spentUsd }: RunProgress): boolean =>
  costLimitUsd !== null && spentUsd >= costLimitUsd;

interface SubmitOptions {
  readonly terms: RunTerms;
  readonly view: FleetView;
  readonly signal: AbortSignal;
}

async function submitAll(batch: FleetBatch, work: RoundWork, options: SubmitOptions): Promise<void> {
  const { context, input, key } = batch;
  const { engine, run, agent, store } = input;
  const { part } = work.round.terms;
  const isGrading = part === 'grade';
  const labels = isGrading && input.gradeOn !== undefined ? [input.gradeOn] : input.labels;
  const { plan } = run;
  const deadline = new Date(work.round.terms.deadline);
  const { terms, view, signal } = options;
  const submitter = await openSubmitter(context, {
    plan: { ...plan, id: work.round.id },
    ...{ agent, store, key, labels, deadline, signal },
  });
  // Attempts at the same time share the limit; what one does not spend is the others'.
  const capUsd = terms.costLimitUsd === null ? null : terms.costLimitUsd / plan.parallelism;
  const onBroken = async (job: AttemptJob, reason: string) => {
    const attempt = refuseAttempt(batch.work, job, reason);
    await run.record(attempt);
    view.end(job, attempt);
  };
  const partOf = async ({ item, attempt, ungraded }: AttemptJob): Promise<JobPart> => {
    if (!isGrading || !ungraded) return part ? { part } : {};
    return { part, work: await packWork(store, ungraded, run.place.attempt(item.id, attempt), { signal }) };
  };
  // A host that only grades calls no model.
  const provider = isGrading ? undefined : providerOf(agent);
  const common = { engine, submitter, terms, labels, provider, capUsd, signal, onBroken };
  await submitRound({ ...common, partOf }, work.jobs);
}

/** Results that are mirrored at once. */
const AT_ONCE = 8;
const PAUSE_MS = 500;

/** A watch also ends when workers are faster than the submission. */
async function mirrorAll(
  batch: FleetBatch,
  { round, jobs, after }: RoundWork,
  { view, submitted }: { readonly view: FleetView; readonly submitted: Promise<void> },
): Promise<void> {
  const { engine, run } = batch.input;
  const isSubmitted = { now: false };
  const submission = settled(submitted).then(() => {
    isSubmitted.now = true;
  });
  const mirror = async (result: JobResult): Promise<void> => {
    const job = jobs.find(
      ({ item, attempt }) => item.id === result.key.task && attempt === result.key.attempt,
    );
    const attempt = await mirrorOne(batch, result);
    if (job && attempt) view.end(job, attempt);
  };
  let last = after;
  for (;;) {
    const isComplete = isSubmitted.now;
    const pool = createPool(AT_ONCE);
    for await (const result of engine.watch(round.id, { after: last, signal: run.lost })) {
      last = result.sequence;
      await pool.add(() => mirror(result));
    }
    await pool.end();
    await acknowledge(batch, round.id, last);
    if (isComplete || run.lost.aborted) return;
    await Promise.race([submission, delay(PAUSE_MS)]);
  }
}

/** Runs actions, at most a number at once. The first error is thrown by the next call. */
function createPool(atOnce: number) {
  const running = new Set<Promise<void>>();
  const failures: unknown[] = [];
  const check = () => {
    if (failures.length > 0) throw failures[0];
  };
  return {
    add: async (action: () => Promise<void>): Promise<void> => {
      check();
      while (running.size >= atOnce) await Promise.race(running);
      const one: Promise<void> = action()
        .catch(error => void failures.push(error))
        .finally(() => running.delete(one));
      running.add(one);
    },
    end: async (): Promise<void> => {
      await Promise.all(running);
      check();
    },
  };
}
