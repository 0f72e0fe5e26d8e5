import { z } from 'zod';
import { IsolationModeSchema } from './isolation.js';
import { TaskSchema } from './task.js';
import { WorkspaceDetailsSchema } from './workspace.js';

/**
 * The contract at /api/developer: a story is sent, carried out as a task in a worktree of its own, looked at there by
 * whoever sent it, and removed when that is asked for.
 */
const StorySchema = z.union([
  z.string().min(1),
  z.looseObject({
    title: z.string().optional(),
    description: z.string().optional(),
    acceptanceCriteria: z.array(z.string()).optional(),
  }),
]);
export type Story = z.infer<typeof StorySchema>;

export const WorkflowRequestSchema = z
  .object({
    story: StorySchema.optional().describe(
      'what is to be done: text, or an object with title and description',
    ),
    content: z.string().min(1).optional().describe('another word for a story that is text'),
    description: z.string().min(1).optional().describe('another word for a story that is text'),
    title: z.string().optional().describe('put before the story'),
    targetRepository: z
      .string()
      .min(1)
      .describe('a path on the machine of the server, or an https, ssh or file url; under the allow-list'),
    workflow: z.string().optional().describe('the stages to go through'),
    agent: z.string().optional().describe('the agent of all stages'),
    isolation: IsolationModeSchema.optional(),
    strict: z.boolean().optional().describe('refuse instead of falling back to less isolation'),
    base: z.string().optional().describe('the branch, tag or commit to start from'),
    keep: z
      .boolean()
      .optional()
      .describe('keep the worktree when it succeeds; true here, for whoever sent the story looks into it'),
    priority: z.int().optional(),
    timeoutSeconds: z.number().positive().optional(),
    costLimitUsd: z.number().positive().optional(),
  })
  .meta({ id: 'workflow-request', title: 'A story to be carried out' });
export type WorkflowRequest = z.infer<typeof WorkflowRequestSchema>;

export const WORKFLOW_STATUSES = [
  'pending',
  'running',
  'completed',
  'failed',
  'cancelled',
  'interrupted',
] as const;
export type WorkflowStatus = (typeof WORKFLOW_STATUSES)[number];

export const DeveloperWorkflowSchema = z
  .object({
    id: z.string().describe('of the task; DELETE /api/developer/worktrees/{id} takes it, too'),
    status: z.enum(WORKFLOW_STATUSES),
    targetRepository: z.string().describe('as it was sent'),
    worktreePath: z.string().nullable().describe('null until the worktree is there'),
    worktreeId: z.string().nullable().describe('id of the workspace'),
    worktreeKept: z.boolean().describe('whether the worktree is still there'),
    task: TaskSchema.describe('everything that is known about it'),
  })
  .meta({ id: 'developer-workflow', title: 'A story that is carried out' });
export type DeveloperWorkflow = Readonly<z.infer<typeof DeveloperWorkflowSchema>>;

export const DeveloperWorktreeSchema = z
  .object({
    id: z.string().describe('id of the workspace'),
    workflowId: z.string().nullable().describe('the workflow that it belongs to'),
    worktreePath: z.string(),
    targetRepository: z.string(),
    branch: z.string().nullable(),
    status: z.enum(['creating', 'ready', 'removing']),
    createdAt: z.iso.datetime(),
    lastActivityAt: z.iso.datetime(),
    workspace: WorkspaceDetailsSchema,
  })
  .meta({ id: 'developer-worktree', title: 'A worktree' });
export type DeveloperWorktree = Readonly<z.infer<typeof DeveloperWorktreeSchema>>;
