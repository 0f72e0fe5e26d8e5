import { isFinal } from '../../domain/batch/outcome-rules.js';
import { carrelError, isCarrelError } from '../../domain/error/error.js';
import type { Job } from '../../domain/fleet/job.js';
import { isTaskJob } from '../../domain/fleet/task-job.js';
import type { Context } from '../../operations/context.js';
import type { BlobStore } from '../artifacts/blob-store.js';
import type { Claim, ClaimEnd, Claimed, Engine, Handled } from '../engine/engine.js';
import { handleTaskJob } from '../task/worker/handle-task-job.js';
import type { TaskRunner } from '../task/worker/task-runner.js';
import type { JobRunner, RanJob, RunControl } from '../travel/job-runner.js';
import { packResult } from '../travel/result/pack-result.js';
import { admitJob, nameOfJob } from '../travel/trust/admit-job.js';
import type { ClaimMemory } from '../travel/trust/claim-memory.js';
import { nameOfClaim, type WorkerTerms } from '../travel/trust/worker-terms.js';
import { reserveShare } from './reserve-share.js';
import type { ResultRecord } from './result-record.js';

export interface JobHandling {
  readonly context: Pick<Context, 'now'>;
  readonly engine: Pick<Engine, 'reserve' | 'progress'>;
  readonly store: BlobStore;
  readonly runner: JobRunner;
  readonly tasks: TaskRunner;
  readonly memory: ClaimMemory;
  readonly terms: WorkerTerms;
}

/** How long the files of a result are offered to a store that is away. They stay on this host when it does not return. */
const UPLOAD_MS = 60 * 60_000;

/**
 * One job, from its claim to the result that the engine records. A job that this worker does not accept is left to
 * others, with one sentence. Other errors end the claim, and another host tries.
 */
export async function handleJob(handling: JobHandling, claimed: Claimed): Promise<Handled> {
  try {
    const body = parse(claimed.claim.job.body);
    return isTaskJob(body)
      ? await handleTaskJob(handling, claimed, body)
      : await workOn(handling, claimed, body);
  } catch (error) {
    if (isCarrelError(error) && isRefusal(error.code)) return { kind: 'left', reason: error.message };
    throw error;
  }
}

const isRefusal = (code: string): boolean => code.startsWith('JOB_') || code === 'CLAIM_LOST';

async function workOn(handling: JobHandling, claimed: Claimed, body: unknown): Promise<Handled> {
  const { context, runner, memory, terms, engine } = handling;
  const { claim, signal } = claimed;
  const row = { id: nameOfKey(claim), number: claim.number, job: claim.job };
  const job = await admitJob(body, terms, { now: context.now, memory, claim: row });
  const capUsd = job.capUsd === null ? null : await reserveShare(engine, claim, job.capUsd, signal);
  if (capUsd === undefined) return { kind: 'left', reason: 'the run has reached its cost limit' };
  const ran = await runner.run({ ...job, capUsd }, claim, {
    stop: signal,
    requireOurs: () => requireOurs(job, signal),
    ...createReports(claimed),
  });
  if (isInterrupted(job, ran, signal)) {
    await runner.discard(claim);
    return { kind: 'left', reason: `its worker ${STOPPED[signal.reason as Interrupting]}` };
  }
  return finish(handling, claimed, job, ran);
}

/** What the agent does and what it has spent, as one report. */
function createReports({ report }: Claimed): Pick<RunControl, 'onPhase' | 'onCost'> {
  let said = { text: 'acquire', costUsd: 0 };
  const change = (news: Partial<typeof said>) => {
    said = { ...said, ...news };
    report(said);
  };
  return {
    onPhase: (phase, activity) => change({ text: activity ? `${phase}: ${activity}` : phase }),
    onCost: costUsd => change({ costUsd }),
  };
}

/** The queue has another entry for a job that was left; its claims are counted on. */
const nameOfKey = ({ job: { key } }: Claim): string => `${key.run} ${key.task} ${key.attempt}`;

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch (error) {
    throw carrelError('JOB_INVALID', { problem: 'it is not JSON' }, error);
  }
}

/** Ends of a claim after which another host does the job again. The result of a cancelled run is that it was. */
type Interrupting = Exclude<ClaimEnd, 'cancelled' | 'budget'>;

const STOPPED: Readonly<Record<Interrupting, string>> = {
  lost: 'lost its claim',
  silent: 'could not reach the database',
  stopped: 'was stopped',
};

function isInterrupted({ part }: Job, { attempt }: RanJob, { aborted, reason }: AbortSignal): boolean {
  const isDone = isFinal(attempt.outcome) || (part === 'work' && attempt.awaitsGrading);
  return aborted && Object.hasOwn(STOPPED, reason) && !isDone;
}

function requireOurs(job: Job, { aborted, reason }: AbortSignal): void {
  if (!aborted || !(reason === 'lost' || reason === 'silent')) return;
  throw carrelError('CLAIM_LOST', { job: nameOfJob(job), reason: `it ${STOPPED[reason as Interrupting]}` });
}

/** Files first: a result that is recorded has its files. */
async function finish(
  { context, store, runner }: JobHandling,
  { claim, report }: Claimed,
  { part }: Job,
  ran: RanJob,
): Promise<Handled> {
  report({ text: 'upload' });
  const { hash } = await packResult(store, claim, ran, { deadline: context.now() + UPLOAD_MS });
  await runner.discard(claim);
  const { identity, startedAt, costUsd } = ran.attempt;
  const name = { claim: nameOfClaim(claim), manifest: hash, identity, startedAt };
  // The record of a graded attempt has the cost of its agent, which was counted with the work.
  const record: ResultRecord = part === 'grade' ? { ...name, part } : name;
  const spentUsd = part === 'grade' ? 0 : (costUsd ?? 0);
  return { kind: 'done', record: JSON.stringify(record), costUsd: spentUsd };
}
