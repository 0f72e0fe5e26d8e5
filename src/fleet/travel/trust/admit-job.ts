import type { AttemptIsolation } from '../../../domain/batch/attempt.js';
import { carrelError } from '../../../domain/error/error.js';
import type { AgentDescription } from '../../../domain/fleet/agent-description.js';
import type { Job, SignedJob } from '../../../domain/fleet/job.js';
import type { SignedTaskJob, TaskJob } from '../../../domain/fleet/task-job.js';
import { findProgramIn } from '../../../exec/find-program.js';
import type { Context } from '../../../operations/context.js';
import type { Claim } from '../../engine/engine.js';
import type { ClaimMemory } from './claim-memory.js';
import { isSignedBySubmitter, parseSignedJob, parseSignedTaskJob } from './sign-job.js';
import { formatFingerprint } from './submitter-key.js';
import type { WorkerTerms } from './worker-terms.js';

export interface AdmissionContext {
  readonly now: () => number;
  readonly memory: ClaimMemory;
  readonly claim: Pick<Claim, 'id' | 'number'> & { readonly job: Pick<Claim['job'], 'key'> };
}

/**
 * A worker's check of a claimed job, before it fetches or runs anything: the database is not trusted. Each refusal is
 * one error: JOB_INVALID, JOB_NOT_TRUSTED, JOB_ALTERED, JOB_EXPIRED, JOB_ROOT_REFUSED, JOB_ISOLATION_REFUSED,
 * JOB_VERSION_REFUSED, JOB_LABELS_MISSING, JOB_REPLAYED. The claim is remembered when nothing speaks against it.
 */
export async function admitJob(value: unknown, terms: WorkerTerms, context: AdmissionContext): Promise<Job> {
  const { signature: _, ...job } = await admit(parseSignedJob(value), terms, context);
  return job;
}

/** The same for a whole task. */
export async function admitTaskJob(
  value: unknown,
  terms: WorkerTerms,
  context: AdmissionContext,
): Promise<TaskJob> {
  const { signature: _, ...job } = await admit(parseSignedTaskJob(value), terms, context);
  return job;
}

async function admit<T extends SignedJob | SignedTaskJob>(
  signed: T,
  terms: WorkerTerms,
  { now, memory, claim }: AdmissionContext,
): Promise<T> {
  const job: AnyJob = signed;
  const name = nameOfJob(job);
  requireRow(job, claim.job.key);
  if (!terms.keys.includes(job.submitter))
    throw carrelError('JOB_NOT_TRUSTED', {
      job: name,
      submitter: `${job.submitter} (${formatFingerprint(job.submitter)})`,
    });
  if (!isSignedBySubmitter(signed)) throw carrelError('JOB_ALTERED', { job: name });
  if (Date.parse(job.deadline) <= now())
    throw carrelError('JOB_EXPIRED', { job: name, deadline: job.deadline });
  requireTerms(job, name, terms);
  if (!(await memory.begin(job.nonce, claim, job.deadline)))
    throw carrelError('JOB_REPLAYED', { job: name, nonce: job.nonce });
  return signed;
}

type AnyJob = Job | TaskJob;

/** A signed job in the row of another one would be recorded as its result. */
function requireRow({ run, task, attempt }: AnyJob, key: Claim['job']['key']): void {
  if (run === key.run && task === key.task && attempt === key.attempt) return;
  const problem = `it is attempt ${attempt} at ${task} of ${run}, in the row of ${key.attempt} at ${key.task} of ${key.run}`;
  throw carrelError('JOB_INVALID', { problem });
}

function requireTerms(job: AnyJob, name: string, terms: WorkerTerms): void {
  const { isolation, versions } = job;
  if (terms.isRoot && !terms.allowRoot) throw carrelError('JOB_ROOT_REFUSED', { job: name });
  if (STRENGTH[isolation] < STRENGTH[terms.allow])
    throw carrelError('JOB_ISOLATION_REFUSED', { job: name, isolation, allowed: terms.allow });
  if (!isCompatible(versions.carrel, terms.carrel))
    throw carrelError('JOB_VERSION_REFUSED', {
      ...{ job: name, what: 'Carrel', found: terms.carrel, expected: versions.carrel },
    });
  const missing = job.labels.filter(label => !terms.labels.includes(label));
  if (missing.length > 0) throw carrelError('JOB_LABELS_MISSING', { job: name, missing });
}

export const nameOfJob = ({ run, task, attempt }: AnyJob): string =>
  `attempt ${attempt} at ${task} of ${run}`;

const STRENGTH: Readonly<Record<AttemptIsolation, number>> = { none: 0, worktree: 1, full: 2, docker: 2 };

/** Patch releases have the same formats and the same results. */
const isCompatible = (one: string, other: string): boolean => minorOf(one) === minorOf(other);

const minorOf = (version: string): string => version.split('.', 2).join('.');

/**
 * The same for the agent, once its description is here: JOB_KEYS_MISSING, JOB_PROGRAMS_MISSING. In an image, programs
 * are the image's.
 */
export function admitAgent(
  { environment }: Pick<Context, 'environment'>,
  job: AnyJob,
  { needs }: Pick<AgentDescription, 'needs'>,
): void {
  const name = nameOfJob(job);
  const missing = needs.keys.filter(key => (environment[key] ?? '') === '');
  if (missing.length > 0) throw carrelError('JOB_KEYS_MISSING', { job: name, missing });
  if (job.isolation === 'docker') return;
  const lacking = needs.programs.filter(
    program => findProgramIn(environment.PATH ?? '', program) === undefined,
  );
  if (lacking.length > 0) throw carrelError('JOB_PROGRAMS_MISSING', { job: name, missing: lacking });
}

/** And for the version of its program, which is known when it is open. JOB_VERSION_REFUSED. */
export function admitAgentVersion(job: Job, agent: { readonly version: string | null }): void {
  const { agent: expected } = job.versions;
  if (expected === null || agent.version === null || agent.version === expected) return;
  const found = agent.version;
  throw carrelError('JOB_VERSION_REFUSED', { job: nameOfJob(job), what: 'the agent', found, expected });
}
