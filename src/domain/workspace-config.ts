import { z } from 'zod';
import { ContainerConfigSchema, ContainerDefaultsSchema } from './container.js';

/** How a workspace comes to be; the vocabulary below the isolation modes. */
export const WorkspaceStrategySchema = z
  .enum(['worktree', 'container', 'directory', 'none'])
  .describe('worktree, container (with a worktree inside), directory (a plain copy) or none');
export type WorkspaceStrategy = z.infer<typeof WorkspaceStrategySchema>;

/** The workspace of one task. */
export const WorkspaceConfigSchema = z.object({
  strategy: WorkspaceStrategySchema,
  path: z.string().optional(),
  container: ContainerConfigSchema.optional(),
  cleanup: z.boolean(),
  preserveOnFailure: z.boolean().optional().default(false),
});
export type WorkspaceConfig = z.infer<typeof WorkspaceConfigSchema>;

/** What the workspaces of all tasks begin with. */
export const WorkspaceDefaultsSchema = z.strictObject({
  defaultStrategy: WorkspaceStrategySchema.optional()
    .default('none')
    .describe(
      'strategy of a task that names neither strategy nor mode: worktree, container, directory or none',
    ),
  cleanupOnComplete: z
    .boolean()
    .optional()
    .default(true)
    .describe('remove the workspace of a task that succeeded'),
  preserveOnFailure: z
    .boolean()
    .optional()
    .default(true)
    .describe('keep the workspace of a task that failed'),
  cleanupDays: z
    .number()
    .min(0)
    .optional()
    .default(7)
    .describe('days after which gc may take an idle workspace'),
  container: ContainerDefaultsSchema.optional(),
});
export type WorkspaceDefaults = z.infer<typeof WorkspaceDefaultsSchema>;
