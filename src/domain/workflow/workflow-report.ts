import { z } from 'zod';
import { TaskLimitsSchema } from '../agent/agent.js';
import { IsolationModeSchema } from '../isolation.js';
import { ExpectationSchema } from './validation.js';

const SourceSchema = z.string().describe('`built-in`, or the absolute path of its file');

const ProblemSchema = z.object({ code: z.string(), message: z.string(), hint: z.string() });

const WorkflowSummarySchema = z.object({
  name: z.string(),
  source: SourceSchema,
  description: z.string().nullable(),
  stages: z.array(z.string()).describe('their names, in the order of the file'),
  isolation: IsolationModeSchema.nullable().describe('isolation mode that its tasks request'),
  problem: ProblemSchema.nullable().describe('why its file cannot be used; the rest is then null or empty'),
});
export type WorkflowSummary = Readonly<z.infer<typeof WorkflowSummarySchema>>;

export const WorkflowListSchema = z
  .array(WorkflowSummarySchema)
  .meta({ id: 'workflows', title: 'The workflows of a repository, by name' });

const StagePageSchema = z.object({
  name: z.string(),
  agent: z.string(),
  program: z
    .union([z.string(), z.array(z.string())])
    .nullable()
    .describe('the preset or the command that the agent runs with; null when there is no such agent'),
  description: z.string().nullable(),
  after: z
    .array(z.string())
    .describe('the stages that it waits for, including those that produce its inputs'),
  inputs: z.array(z.string()),
  outputs: z.array(z.string()),
  retries: z.int(),
  timeout: z.string().nullable().describe('time limit of one attempt'),
  checks: z.array(z.string()),
  isolation: IsolationModeSchema.nullable().describe(
    'stronger isolation of this stage; null for that of the task',
  ),
  approve: z.boolean().describe('whether the user has to approve its work'),
});

export const WorkflowPageSchema = z
  .object({
    name: z.string(),
    source: SourceSchema,
    description: z.string(),
    trigger: z.array(z.string()),
    isolation: IsolationModeSchema.describe('isolation mode that its tasks request'),
    repositories: z
      .array(
        z.object({
          alias: z.string(),
          path: z.string().describe('absolute'),
          base: z.string().nullable().describe('what its branch starts from; null for its HEAD'),
        }),
      )
      .describe('other repositories that its tasks work in'),
    timeout: z.string().nullable().describe('time limit of the whole workflow'),
    limits: TaskLimitsSchema,
    stages: z.array(StagePageSchema),
    validation: z.array(ExpectationSchema).describe("its own, and the configuration's for every task"),
    problems: z.array(ProblemSchema),
    warnings: z.array(z.string()),
  })
  .meta({ id: 'workflow-page', title: 'A workflow as a task would run it' });
export type WorkflowPage = Readonly<z.infer<typeof WorkflowPageSchema>>;
export type StagePage = WorkflowPage['stages'][number];

export const WorkflowCheckSchema = z
  .object({
    sound: z.boolean().describe('true when there are no problems'),
    checked: z.array(
      z.object({
        kind: z.enum(['workflow', 'agent']),
        name: z.string(),
        source: SourceSchema,
        problems: z.array(ProblemSchema),
        warnings: z.array(z.string()),
      }),
    ),
  })
  .meta({ id: 'workflow-check', title: 'Problems of workflows and agents' });
export type WorkflowCheckReport = Readonly<z.infer<typeof WorkflowCheckSchema>>;
