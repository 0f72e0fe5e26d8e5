import { z } from 'zod';
import { TaskLimitsSchema } from '../agent/agent.js';
import { IsolationModeSchema } from '../isolation.js';
import { DurationSchema } from '../quantity/quantity-schema.js';
import { GroupRepositoriesSchema } from '../workspace/group-repositories.js';
import { findStageIssues } from './stage-issues.js';
import { ExpectationSchema } from './validation.js';

const WordSchema = z.string().min(1);

/** Stages and outputs give files and directories their names, and a workflow has the name of its file. */
const NameSchema = z
  .string()
  .regex(
    /^(?!\.)[^/\\\p{Cc}]{1,100}$/u,
    'a file name: at most 100 characters, without "/" and not starting with "."',
  );

/** One step of a workflow, done by one agent. */
export const WorkflowStageSchema = z.strictObject({
  name: NameSchema.describe('name of the stage, unique in the workflow'),
  agent: WordSchema.describe('the agent of the stage'),
  description: z.string().optional().describe('what to do, for the agent and for people'),
  inputs: z.array(NameSchema).optional().describe('outputs of earlier stages that it reads'),
  outputs: z.array(NameSchema).optional().describe('files that it produces for later stages'),
  dependsOn: z
    .array(WordSchema)
    .optional()
    .describe('stages that must succeed first (default: the one above)'),
  retries: z
    .int()
    .min(0)
    .max(20)
    .optional()
    .describe('additional attempts after a failure that another attempt may fix'),
  timeout: DurationSchema.optional().describe('time limit of one attempt, such as 30m'),
  checks: z.array(WordSchema).optional().describe('commands that must succeed after it'),
  isolation: IsolationModeSchema.optional().describe(
    "stronger isolation for this stage, in its own workspace; a mode that is weaker than the task's has no effect",
  ),
  approve: z
    .boolean()
    .optional()
    .describe(
      'wait for `carrel task approve` before stages that depend on it start, and before the work is delivered',
    ),
});
export type WorkflowStage = z.infer<typeof WorkflowStageSchema>;

/** A file of `.carrel/workflows`. */
export const WorkflowDefinitionSchema = z
  .strictObject({
    name: NameSchema.describe('name of the workflow, same as its file name'),
    description: z.string().describe('what it is for'),
    trigger: z.array(z.string()).optional().describe('what starts it, such as manual'),
    stages: z.array(WorkflowStageSchema).min(1).describe('the steps'),
    isolation: IsolationModeSchema.optional().describe(
      'isolation mode of this workflow: full, worktree or shared',
    ),
    repositories: GroupRepositoriesSchema.optional().describe(
      'other repositories that its tasks work in, all or none: paths, or a mapping from an alias to a path or to path and base; relative to the root of the repository',
    ),
    timeout: DurationSchema.optional().describe('time limit of the whole workflow, such as 4h'),
    limits: TaskLimitsSchema.optional().describe("limits of its tasks; the user's own limits apply as well"),
    validation: z
      .array(ExpectationSchema)
      .optional()
      .describe(
        'what must be true of the working tree after the last stage, in addition to tasks.validation',
      ),
  })
  .check(({ value, issues }) => {
    issues.push(...findStageIssues(value.stages));
  })
  .meta({ id: 'workflow', title: 'Workflow' });
/** A workflow: its stages, and the isolation mode, limits and checks of tasks that follow it. */
export type WorkflowDefinition = z.infer<typeof WorkflowDefinitionSchema>;
