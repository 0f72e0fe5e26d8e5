import type { Budget } from '../../attempt/limits/budget.js';
import type { AttemptJob } from '../../batch/plan/resume-plan.js';
import type { Progress } from '../../batch/run/batch-progress.js';
import type { BatchInput } from '../../batch/run-batch.js';
import type { Attempt } from '../../domain/batch/attempt.js';
import { isCarrelError } from '../../domain/error/error.js';
import type { Context } from '../../operations/context.js';
import type { BlobStore } from '../artifacts/blob-store.js';
import type { Engine } from '../engine/engine.js';
import type { JobKey, JobResult } from '../engine/job.js';
import type { SubmitterKey } from '../travel/trust/submitter-key.js';
import { type Mirror, mirrorResult } from './mirror-result.js';

export interface FleetInput extends Omit<BatchInput, 'notify'> {
  readonly engine: Engine;
  readonly store: BlobStore;
  /** Labels that a worker must have. */
  readonly labels: readonly string[];
  /** Workers with this label grade, in separate jobs; by default the worker of the agent does. */
  readonly gradeOn?: string | undefined;
}

/** A batch on its way through a fleet. */
export interface FleetBatch {
  readonly context: Context;
  readonly input: FleetInput;
  readonly key: SubmitterKey;
  readonly budget: Budget;
  readonly work: Mirror['work'];
  /** Every attempt of the plan. */
  readonly all: readonly AttemptJob[];
  /** Those without a final result. */
  listLeft(): AttemptJob[];
  createProgress(jobs: readonly AttemptJob[]): Progress;
}

/** Undefined when the run has it, or has no such job any more. */
export async function mirrorOne(batch: FleetBatch, result: JobResult): Promise<Attempt | undefined> {
  const { input, work, budget } = batch;
  const name = nameOfKey(result.key);
  const job = batch.all.find(each => nameOfJob(each) === name);
  if (!job) return undefined;
  const { run, store } = input;
  const before = run.attempts().find(each => nameOfAttempt(each) === name);
  const attempt = await mirrorResult({ run, store, work, signal: run.lost }, job, result);
  // A grading has the usage of its work, which is counted.
  if (attempt && before?.startedAt !== attempt.startedAt) budget.close(name, attempt.usage);
  return attempt;
}

/** From then on the files of these results can be removed. The next `eval resume` does it when the database is away. */
export async function acknowledge({ input }: FleetBatch, run: string, sequence: number): Promise<void> {
  if (sequence === 0 || input.run.lost.aborted) return;
  await input.engine.acknowledge(run, sequence).catch(error => {
    if (!isCarrelError(error, 'FLEET_UNAVAILABLE')) throw error;
  });
}

export const nameOfJob = ({ item, attempt }: AttemptJob): string => `${item.id} ${attempt}`;

const nameOfAttempt = ({ taskId, attempt }: Attempt): string => `${taskId} ${attempt}`;

export const nameOfKey = ({ task, attempt }: JobKey): string => `${task} ${attempt}`;
