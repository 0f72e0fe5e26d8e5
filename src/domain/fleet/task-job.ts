import { z } from 'zod';
import { BlobHashSchema } from './blob-hash.js';
import { JobSchema, SignedJobSchema } from './job.js';

const { run, attempt, base, capUsd, deadline, labels, versions, submitter, nonce } = JobSchema.shape;

export const TaskIdSchema = z.string().regex(/^task_[0-9a-z]{16}$/);

/** A whole task, as a worker gets it. Its first field keeps it apart from an attempt of a batch. */
export const TaskJobSchema = z.strictObject({
  kind: z.literal('task'),
  ...{ run, attempt, base, capUsd, deadline, labels, versions, submitter, nonce },
  task: TaskIdSchema.describe('its id on the machine of the submitter'),
  order: BlobHashSchema.describe('what is to be done'),
  isolation: z.enum(['worktree', 'full']),
});
/** One run of a task, to be done by a worker. */
export type TaskJob = Readonly<z.infer<typeof TaskJobSchema>>;

export const SignedTaskJobSchema = TaskJobSchema.extend({ signature: SignedJobSchema.shape.signature });
/** A task job with the signature of its submitter over its canonical JSON. */
export type SignedTaskJob = Readonly<z.infer<typeof SignedTaskJobSchema>>;

/** Whether the body of a job says that it is a task. It is not believed before it is admitted. */
export const isTaskJob = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && (value as { kind?: unknown }).kind === 'task';
