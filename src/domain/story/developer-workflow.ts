import { z } from 'zod';
import { requestObject } from '../api/request-object.js';
import { IsolationModeSchema } from '../isolation.js';
import { TaskSchema } from '../task/task.js';
import { WorkspaceDetailsSchema } from '../workspace/workspace.js';

/**
 * The contract of /api/developer: a client sends a story, the server runs it as a task in its own worktree, the client
 * inspects the worktree, and removes it with a request.
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

export const WorkflowRequestSchema = requestObject({
  story: StorySchema.optional().describe('what to do: text, or an object with title and description'),
  content: z.string().min(1).optional().describe('alias of `story` for text'),
  description: z.string().min(1).optional().describe('alias of `story` for text'),
  title: z.string().optional().describe('put before the story'),
  targetRepository: z
    .string()
    .min(1)
    .describe('a path on the server, or an https, ssh or file URL; must be on the allowlist'),
  workflow: z.string().optional().describe('name of the workflow'),
  agent: z.string().optional().describe('the agent for all stages'),
  isolation: IsolationModeSchema.optional(),
  strict: z.boolean().optional().describe('fail instead of falling back to a weaker isolation mode'),
  base: z.string().optional().describe('the branch, tag or commit to start from'),
  keep: z
    .boolean()
    .optional()
    .describe('keep the worktree after success; defaults to true here, so that the client can inspect it'),
  priority: z.int().optional(),
  timeoutSeconds: z.number().positive().optional(),
  costLimitUsd: z.number().positive().optional(),
}).meta({ id: 'workflow-request', title: 'A story to run' });
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
    id: z.string().describe('id of the task; DELETE /api/developer/worktrees/{id} accepts it too'),
    status: z.enum(WORKFLOW_STATUSES),
    targetRepository: z.string().describe('as sent by the client'),
    worktreePath: z
      .string()
      .nullable()
      .describe(
        'path of the worktree, decided when the story is accepted; null only in workflows of earlier versions',
      ),
    worktreeId: z.string().nullable().describe('id of the workspace; null until the worktree exists'),
    worktreeKept: z
      .boolean()
      .describe('whether the worktree exists: not before the story has its turn, nor after a removal'),
    task: TaskSchema.describe('the whole task'),
  })
  .meta({ id: 'developer-workflow', title: 'A running or finished story' });
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
