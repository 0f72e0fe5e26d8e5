import { z } from 'zod';
import { IsolationModeSchema } from '../domain/isolation.js';

// Fields that several operations have.

export const workspaceField = z
  .string()
  .min(1)
  .describe('the workspace: its name, its id, or the beginning of its id');

export const taskField = z.string().min(1).describe('the task: its id, or the beginning of it');

export const isolationField = IsolationModeSchema.optional().describe(
  'full: own worktree and a sandbox; worktree: own worktree; shared: the repository itself (default: as configured)',
);

/** How work is landed, from a workspace or by a task. */
export const landFields = {
  into: z.string().optional().describe('the branch to land on (default: the branch it started from)'),
  strategy: z
    .enum(['merge', 'squash', 'rebase'])
    .optional()
    .describe(
      'all commits with a merge commit, one commit (squash), or all commits on top (rebase); default: merge',
    ),
  message: z.string().optional().describe('commit message; uncommitted changes are committed with it first'),
  keep: z.boolean().optional().describe('keep the workspace'),
  allowAutorunFiles: z
    .boolean()
    .optional()
    .describe('land files that run automatically even if `land.autorunFiles` is `refuse`'),
};
