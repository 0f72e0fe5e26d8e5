import { z } from 'zod';
import { EventSchema } from '../event.js';
import { TaskSchema } from '../task/task.js';
import { BlobHashSchema } from './blob-hash.js';
import { TaskIdSchema } from './task-job.js';
import { TravellingOutputSchema } from './task-order.js';

const { isolation, stages, validation, usage, failure, warnings, endedAt } = TaskSchema.shape;

/** What a claim recorded: the manifest, by its hash. */
export const TaskResultRecordSchema = z.strictObject({
  claim: z.string().max(120),
  task: TaskIdSchema,
  manifest: BlobHashSchema,
});
export type TaskResultRecord = Readonly<z.infer<typeof TaskResultRecordSchema>>;

const BlobSchema = z.strictObject({ hash: BlobHashSchema, size: z.int().min(0) });

/** The result of one run of a task on a worker: its record, its branches, its log and its files. */
export const TaskResultSchema = z.strictObject({
  claim: z.string().max(120),
  task: TaskIdSchema,
  status: z.enum(['succeeded', 'failed', 'cancelled', 'waiting-for-approval']),
  startedAt: z.iso.datetime(),
  ...{ isolation, stages, validation, usage, failure, warnings, endedAt },
  branches: z
    .array(z.strictObject({ branch: z.string(), commit: z.string().regex(/^([0-9a-f]{40}|[0-9a-f]{64})$/) }))
    .max(64)
    .describe('branches with commits that the submitter does not have; its own is the first'),
  bundle: BlobSchema.nullable().describe('these commits; null when there are none'),
  log: BlobSchema.nullable(),
  outputs: z.array(TravellingOutputSchema).max(1000),
  events: z.array(EventSchema.pick({ type: true, data: true })).max(5000),
});
export type TaskResult = Readonly<z.infer<typeof TaskResultSchema>>;
