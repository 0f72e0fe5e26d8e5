import { setTimeout as delay } from 'node:timers/promises';
import type { AttemptJob } from '../../batch/plan/resume-plan.js';
import { isCarrelError } from '../../domain/error/error.js';
import { canonicalJson } from '../../domain/fleet/canonical-json.js';
import type { Engine } from '../engine/engine.js';
import type { Job } from '../engine/job.js';
import type { RunTerms } from '../engine/run.js';
import type { JobPart, Submitter } from '../travel/submit-item.js';

export interface RoundSubmission {
  readonly engine: Pick<Engine, 'submit'>;
  readonly submitter: Submitter;
  readonly terms: RunTerms;
  readonly labels: readonly string[];
  /** The model host of the agent, as far as it is known. */
  readonly provider: string | undefined;
  /** What each agent may spend. */
  readonly capUsd: number | null;
  /** What of an attempt its job does. */
  partOf(job: AttemptJob): Promise<JobPart>;
  /** Submits nothing more when aborted. */
  readonly signal: AbortSignal;
  /** A job whose base is not available. */
  onBroken(job: AttemptJob, reason: string): Promise<void>;
}

/** Jobs in one transaction: workers begin with the first while the rest is packed. */
const CHUNK = 50;

/** Packs the jobs and submits them in their order. Submitted again, a job is unchanged. */
export async function submitRound(submission: RoundSubmission, jobs: readonly AttemptJob[]): Promise<void> {
  const { engine, terms, signal } = submission;
  for (let start = 0; start < jobs.length && !signal.aborted; start += CHUNK) {
    const chunk: Job[] = [];
    for (const job of jobs.slice(start, start + CHUNK)) {
      const packed = await pack(submission, job);
      if (packed) chunk.push(packed);
    }
    await whenAvailable(() => engine.submit(terms, chunk), signal);
  }
}

async function pack(submission: RoundSubmission, job: AttemptJob): Promise<Job | undefined> {
  const { submitter, terms, labels, provider, capUsd, onBroken } = submission;
  try {
    const part = await submission.partOf(job);
    const signed = await submitter.submit(job.item, job.attempt, capUsd, part);
    const key = { run: terms.run, task: job.item.id, attempt: job.attempt };
    return { key, priority: 0, labels, provider, body: canonicalJson(signed) };
  } catch (error) {
    if (!isCarrelError(error, 'BASE_UNAVAILABLE')) throw error;
    await onBroken(job, error.message);
    return undefined;
  }
}

/** A restart of the database takes no longer. */
const LONGEST_OUTAGE_MS = 10 * 60_000;
const PAUSE_MS = 1000;

/** Repeats the action while the database is away. */
export async function whenAvailable<T>(action: () => Promise<T>, signal: AbortSignal): Promise<T> {
  const start = performance.now();
  for (;;) {
    try {
      return await action();
    } catch (error) {
      const isOver = signal.aborted || performance.now() - start > LONGEST_OUTAGE_MS;
      if (isOver || !isCarrelError(error, 'FLEET_UNAVAILABLE')) throw error;
    }
    await delay(PAUSE_MS);
  }
}
