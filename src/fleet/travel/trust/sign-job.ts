import { sign, verify } from 'node:crypto';
import type { z } from 'zod';
import { carrelError } from '../../../domain/error/error.js';
import { canonicalJson } from '../../../domain/fleet/canonical-json.js';
import {
  type Job,
  JobSchema,
  MOST_JOB_BYTES,
  type SignedJob,
  SignedJobSchema,
} from '../../../domain/fleet/job.js';
import {
  type SignedTaskJob,
  SignedTaskJobSchema,
  type TaskJob,
  TaskJobSchema,
} from '../../../domain/fleet/task-job.js';
import { parsePublicKey, type SubmitterKey } from './submitter-key.js';

/** What is signed begins with this, so that a signature for something else is never one of a job. */
const PURPOSE = 'carrel job 1\n';

/** JOB_INVALID, also for a job that is too large. */
export function signJob(job: Omit<Job, 'submitter'>, key: SubmitterKey): SignedJob {
  return signAs(JobSchema, job, key);
}

/** The same for a whole task. */
export function signTaskJob(job: Omit<TaskJob, 'submitter'>, key: SubmitterKey): SignedTaskJob {
  return signAs(TaskJobSchema, job, key);
}

function signAs<T extends Job | TaskJob>(
  schema: z.ZodType<T>,
  job: Omit<T, 'submitter'>,
  { privateKey, publicKey }: SubmitterKey,
): T & { readonly signature: string } {
  const checked = parseAs(schema, { ...job, submitter: publicKey });
  const signature = sign(null, textOf(checked), privateKey).toString('base64url');
  const signed = { ...checked, signature };
  requireSmall(canonicalJson(signed));
  return signed;
}

/** A job of the queue, before anything in it is believed. JOB_INVALID. */
export function parseSignedJob(value: unknown): SignedJob {
  requireSmall(canonicalJson(value) ?? '');
  return parseAs(SignedJobSchema, value);
}

/** The same for a whole task. */
export function parseSignedTaskJob(value: unknown): SignedTaskJob {
  requireSmall(canonicalJson(value) ?? '');
  return parseAs(SignedTaskJobSchema, value);
}

function parseAs<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw invalid(parsed.error.issues);
  return parsed.data;
}

/** Whether the signature is the submitter's own, over exactly this job. */
export function isSignedBySubmitter({ signature, ...job }: SignedJob | SignedTaskJob): boolean {
  const key = parsePublicKey(job.submitter);
  return verify(null, textOf(job), key, Buffer.from(signature, 'base64url'));
}

const textOf = (job: Job | TaskJob): Buffer => Buffer.from(PURPOSE + canonicalJson(job));

function requireSmall(text: string): void {
  const bytes = Buffer.byteLength(text);
  if (bytes <= MOST_JOB_BYTES) return;
  throw carrelError('JOB_INVALID', { problem: `it has ${bytes} bytes; at most ${MOST_JOB_BYTES}` });
}

function invalid(issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[]) {
  const [issue] = issues;
  const at = issue?.path.map(String).join('.') || 'the job';
  return carrelError('JOB_INVALID', { problem: `${at}: ${issue?.message ?? 'invalid'}` });
}
