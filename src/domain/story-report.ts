import { z } from 'zod';
import { WORKFLOW_STATUSES } from './developer-workflow.js';

const ExpectationResultSchema = z.object({
  type: z.enum(['compiles', 'tests_pass', 'file_exists', 'file_contains', 'file_not_contains']),
  passed: z.boolean(),
  detail: z
    .string()
    .nullable()
    .describe('what was looked at and found; of a command that failed, the end of its output'),
});
export type ExpectationResult = Readonly<z.infer<typeof ExpectationResultSchema>>;

export const StoryResultSchema = z.object({
  name: z.string(),
  file: z.string().describe('absolute path of the story'),
  workflowId: z.string().nullable().describe('null when it was not accepted'),
  status: z.enum(WORKFLOW_STATUSES).nullable().describe('of the workflow, as it was last seen'),
  passed: z.boolean().describe('whether it was carried out and all that was expected is true'),
  expectations: z.array(ExpectationResultSchema).describe('empty when it was not carried out'),
  worktreePath: z.string().nullable(),
  worktreeKept: z.boolean().describe('whether the worktree is still there'),
  branch: z.string().nullable().describe('where its commits are, also when the worktree is gone'),
  durationMs: z.int(),
  failure: z.string().nullable(),
  warnings: z.array(z.string()),
});
export type StoryResult = Readonly<z.infer<typeof StoryResultSchema>>;

export const StoryReportSchema = z
  .object({
    server: z.string(),
    startedAt: z.iso.datetime(),
    endedAt: z.iso.datetime(),
    passed: z.int(),
    failed: z.int(),
    stories: z.array(StoryResultSchema),
  })
  .meta({ id: 'story-report', title: 'How stories went' });
export type StoryReport = Readonly<z.infer<typeof StoryReportSchema>>;
