import { z } from 'zod';
import { WORKFLOW_STATUSES } from './developer-workflow.js';

const ExpectationResultSchema = z.object({
  type: z.enum(['compiles', 'tests_pass', 'file_exists', 'file_contains', 'file_not_contains']),
  passed: z.boolean(),
  detail: z
    .string()
    .nullable()
    .describe('what was checked and found; for a failed command, the end of its output'),
});
export type ExpectationResult = Readonly<z.infer<typeof ExpectationResultSchema>>;

export const StoryResultSchema = z.object({
  name: z.string(),
  file: z.string().describe('absolute path of the story'),
  workflowId: z.string().nullable().describe('null when it was not accepted'),
  status: z.enum(WORKFLOW_STATUSES).nullable().describe('last known status of the workflow'),
  passed: z.boolean().describe('whether it succeeded and met all expectations'),
  expectations: z.array(ExpectationResultSchema).describe('empty when it did not run'),
  worktreePath: z.string().nullable(),
  worktreeKept: z.boolean().describe('whether the worktree still exists'),
  branch: z
    .string()
    .nullable()
    .describe('the branch of its commits, which stays when the worktree is removed'),
  durationMs: z.int(),
  failure: z.string().nullable(),
  warnings: z.array(z.string()),
});
export type StoryResult = Readonly<z.infer<typeof StoryResultSchema>>;

export const StoryReportSchema = z
  .object({
    id: z
      .string()
      .optional()
      .describe('id of the run, for `carrel story show`; absent in reports of earlier versions'),
    server: z.string(),
    startedAt: z.iso.datetime(),
    endedAt: z.iso.datetime(),
    passed: z.int(),
    failed: z.int(),
    stories: z.array(StoryResultSchema),
  })
  .meta({ id: 'story-report', title: 'Results of stories' });
export type StoryReport = Readonly<z.infer<typeof StoryReportSchema>>;
