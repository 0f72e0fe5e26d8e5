import type { TaskResultRecord } from '../../../domain/fleet/task-result.js';
import type { Context } from '../../../operations/context.js';
import type { ClaimEnd, Claimed, Engine, Handled } from '../../engine/engine.js';
import type { Job } from '../../engine/job.js';
import { admitTaskJob } from '../../travel/trust/admit-job.js';
import type { ClaimMemory } from '../../travel/trust/claim-memory.js';
import { nameOfClaim, type WorkerTerms } from '../../travel/trust/worker-terms.js';
import { reserveShare } from '../../worker/reserve-share.js';
import type { TaskRunner } from './task-runner.js';

export interface TaskHandling {
  readonly context: Pick<Context, 'now'>;
  readonly engine: Pick<Engine, 'reserve' | 'progress'>;
  readonly tasks: TaskRunner;
  readonly memory: ClaimMemory;
  readonly terms: WorkerTerms;
}

/** How long the files of a result are offered to a store that is away. They stay on this host when it does not return. */
const UPLOAD_MS = 60 * 60_000;

/** One task, from its claim to the result that the engine records. Errors are those of `handleJob`. */
export async function handleTaskJob(
  { context, engine, tasks, memory, terms }: TaskHandling,
  { claim, signal, report }: Claimed,
  value: unknown,
): Promise<Handled> {
  const row = { id: nameOfRow(claim.job), number: claim.number, job: claim.job };
  const job = await admitTaskJob(value, terms, { now: context.now, memory, claim: row });
  // Of two hosts that have the task, one after the other, together no more than the limit is spent.
  const share = job.capUsd === null ? null : await reserveShare(engine, claim, job.capUsd, signal);
  if (share === undefined) return { kind: 'left', reason: 'the task has reached its cost limit' };
  const ran = await tasks.run(job, claim, { stop: signal, onProgress: text => report({ text }) });
  const reason = findInterruption(ran.task.status, signal);
  if (reason !== undefined) return { kind: 'left', reason };
  report({ text: 'upload' });
  const manifest = await ran.pack(context.now() + UPLOAD_MS);
  await ran.discard();
  const record: TaskResultRecord = { claim: nameOfClaim(claim), task: job.task, manifest };
  return { kind: 'done', record: JSON.stringify(record), costUsd: ran.costUsd };
}

/** The queue has another entry for a job that was left; its claims are counted on. */
const nameOfRow = ({ key }: Job): string => `${key.run} ${key.task} ${key.attempt}`;

/** Another host does it again when this one had to stop. A task that was cancelled by its submitter has ended. */
function findInterruption(status: string, { aborted, reason }: AbortSignal): string | undefined {
  if (!aborted || !['cancelled', 'interrupted'].includes(status)) return undefined;
  return STOPPED[reason as ClaimEnd];
}

const STOPPED: Readonly<Partial<Record<ClaimEnd, string>>> = {
  lost: 'its worker lost its claim',
  silent: 'its worker could not reach the database',
  stopped: 'its worker was stopped',
};
