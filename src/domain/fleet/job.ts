import { z } from 'zod';
import { ATTEMPT_ISOLATIONS } from '../batch/attempt.js';
import { EvalItemSchema } from '../batch/eval-item.js';
import { BlobHashSchema } from './blob-hash.js';

const LabelSchema = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}(=[A-Za-z0-9._-]{0,63})?$/, 'a word, or name=value');

/** One attempt, as a worker gets it: all that decides what it does, and nothing that is large or secret. */
export const JobSchema = z.strictObject({
  run: z.string().regex(/^run_[0-9a-z]{16}$/),
  task: EvalItemSchema.shape.id,
  attempt: z.int().min(1),
  identity: z.string().max(100).describe('as in the record of the attempt'),
  item: BlobHashSchema,
  agent: BlobHashSchema.describe('its description'),
  base: z.strictObject({
    commit: z.string().regex(/^([0-9a-f]{40}|[0-9a-f]{64})$/),
    bundle: BlobHashSchema,
  }),
  isolation: z.enum(ATTEMPT_ISOLATIONS),
  timeoutMs: z.int().positive().nullable().describe('time limit of the agent, unless its task has its own'),
  part: z
    .enum(['work', 'grade'])
    .optional()
    .describe('only the work of the agent, or only its grading; both when omitted'),
  work: BlobHashSchema.optional().describe('what is to be graded: a manifest with the attempt and its patch'),
  capUsd: z.number().nonnegative().nullable().describe('what the agent may spend'),
  deadline: z.iso.datetime().describe('no worker begins it later'),
  labels: z.array(LabelSchema).max(16).describe('labels that a worker must have'),
  versions: z.strictObject({
    carrel: z.string().max(50),
    agent: z.string().max(100).nullable(),
  }),
  submitter: z.string().regex(/^ed25519:[A-Za-z0-9_-]{43}$/, 'a public key'),
  nonce: z.string().regex(/^[0-9a-f]{32}$/),
});
/** One attempt to be made by a worker. */
export type Job = Readonly<z.infer<typeof JobSchema>>;

export const SignedJobSchema = JobSchema.extend({
  signature: z.string().regex(/^[A-Za-z0-9_-]{86}$/, 'an Ed25519 signature'),
});
/** A job with the signature of its submitter over its canonical JSON. */
export type SignedJob = Readonly<z.infer<typeof SignedJobSchema>>;

/** The engine keeps jobs in rows of a database and reads many at once. */
export const MOST_JOB_BYTES = 2048;
