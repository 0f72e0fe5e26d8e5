import { z } from 'zod';
import { TaskLimitsSchema } from '../agent/agent.js';
import { UsageSchema } from '../agent/usage.js';
import { IssueSchema, StageSchema } from '../task/task.js';
import { ExpectationSchema } from '../workflow/validation.js';
import { WorkflowDefinitionSchema } from '../workflow/workflow.js';
import { AgentNeedsSchema, AgentSettingsSchema } from './agent-description.js';
import { BlobHashSchema } from './blob-hash.js';
import { TaskIdSchema } from './task-job.js';

/** A larger output of a stage does not travel. */
export const MOST_OUTPUT_BYTES = 64 * 1024 ** 2;

/** The file of an output: below the directory of its stage, whatever its agent called it. */
const OutputPathSchema = z
  .string()
  .max(400)
  .regex(/^(?!.*(^|\/)\.{0,2}(\/|$))[^\\\p{Cc}]+$/u, 'a relative path without . and ..');

export const TravellingOutputSchema = z.strictObject({
  stage: z.string(),
  path: OutputPathSchema,
  size: z.int().min(0).max(MOST_OUTPUT_BYTES),
  hash: BlobHashSchema,
});
/** A file that a stage made, by its hash. */
export type TravellingOutput = Readonly<z.infer<typeof TravellingOutputSchema>>;

/** What a worker has to do: the plan of a task as data, and how far an earlier run came. */
export const TaskOrderSchema = z.strictObject({
  task: TaskIdSchema,
  description: z.string().min(1),
  issue: IssueSchema.optional(),
  agent: z.string().nullable(),
  name: z.string().describe('of its workspace'),
  branch: z.string(),
  head: z.string().nullable().describe('where an earlier run left the branch; null for a new task'),
  workflow: WorkflowDefinitionSchema,
  agents: z.record(
    z.string(),
    z.strictObject({
      settings: AgentSettingsSchema,
      secrets: z.array(z.string()).describe('variables of its settings whose values did not travel'),
      needs: AgentNeedsSchema,
    }),
  ),
  validation: z.array(ExpectationSchema),
  limits: TaskLimitsSchema,
  timeoutMs: z.number().positive().nullable(),
  retryDelayMs: z.number().min(0),
  prefersContainer: z.boolean(),
  stages: z.array(StageSchema),
  usage: UsageSchema,
  outputs: z.array(TravellingOutputSchema).max(1000).describe('of the stages that have succeeded'),
});
export type TaskOrder = Readonly<z.infer<typeof TaskOrderSchema>>;
