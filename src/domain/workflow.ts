import { z } from 'zod';
import { TaskLimitsSchema } from './agent.js';
import { IsolationModeSchema } from './isolation.js';
import { DurationSchema } from './quantity-schema.js';
import { findStageIssues } from './stage-issues.js';
import { ExpectationSchema } from './validation.js';

const WordSchema = z.string().min(1);

/** Files and directories are called after stages and outputs, and a workflow after its file. */
const NameSchema = z
  .string()
  .regex(
    /^(?!\.)[^/\\\p{Cc}]{1,100}$/u,
    'a name for a file: at most 100 characters, without "/" and not beginning with "."',
  );

/** One step of a workflow: an agent with something to do. */
export const WorkflowStageSchema = z.strictObject({
  name: NameSchema.describe('name of the stage, once in a workflow'),
  agent: WordSchema.describe('the agent that does it'),
  description: z.string().optional().describe('what is to be done, for the agent and for people'),
  inputs: z.array(NameSchema).optional().describe('outputs of earlier stages that it reads'),
  outputs: z.array(NameSchema).optional().describe('what it leaves for later stages'),
  dependsOn: z
    .array(WordSchema)
    .optional()
    .describe('stages that must have succeeded before; the one above when left out'),
  retries: z
    .int()
    .min(0)
    .max(20)
    .optional()
    .describe('further attempts after a failure that another attempt may mend'),
  timeout: DurationSchema.optional().describe('time limit of one attempt, such as 30m'),
  checks: z.array(WordSchema).optional().describe('commands that must succeed after it'),
});
export type WorkflowStage = z.infer<typeof WorkflowStageSchema>;

/** A file of `.carrel/workflows`. */
export const WorkflowDefinitionSchema = z
  .strictObject({
    name: NameSchema.describe('name of the workflow, as its file is called'),
    description: z.string().describe('what it is for'),
    trigger: z.array(z.string()).optional().describe('what starts it, such as manual'),
    stages: z.array(WorkflowStageSchema).min(1).describe('the steps'),
    isolation: IsolationModeSchema.optional().describe(
      'isolation mode of this workflow: full, worktree or shared',
    ),
    timeout: DurationSchema.optional().describe('time limit of all of it, such as 4h'),
    limits: TaskLimitsSchema.optional().describe(
      "what it may use at most; the user's own limits hold as well",
    ),
    validation: z
      .array(ExpectationSchema)
      .optional()
      .describe('what must be true of the working tree after the last stage, besides tasks.validation'),
  })
  .check(({ value, issues }) => {
    issues.push(...findStageIssues(value.stages));
  })
  .meta({ id: 'workflow', title: 'Workflow' });
export type WorkflowDefinition = z.infer<typeof WorkflowDefinitionSchema>;
