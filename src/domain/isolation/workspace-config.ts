import { z } from 'zod';
import { ContainerConfigSchema, ContainerDefaultsSchema } from '../sandbox/container.js';
import { workspaceStrategies } from './workspace-strategy.js';

/** How a workspace is created; isolation modes map to these strategies. */
export const WorkspaceStrategySchema = z
  .enum(workspaceStrategies)
  .describe('worktree, container (with a worktree inside), directory (a plain copy) or none');
/** How a workspace is created: `worktree`, `container` (with a worktree inside), `directory` (a plain copy) or `none`. */
export type WorkspaceStrategy = z.infer<typeof WorkspaceStrategySchema>;

/** The workspace of one task. */
export const WorkspaceConfigSchema = z.object({
  strategy: WorkspaceStrategySchema,
  path: z.string().optional(),
  container: ContainerConfigSchema.optional(),
  cleanup: z.boolean(),
  preserveOnFailure: z.boolean().optional().default(false),
});
/** The workspace of one task: strategy, container, and what happens to it at the end. */
export type WorkspaceConfig = z.infer<typeof WorkspaceConfigSchema>;

/** The defaults of all task workspaces. */
export const WorkspaceDefaultsSchema = z.strictObject({
  defaultStrategy: WorkspaceStrategySchema.optional()
    .default('worktree')
    .describe(
      'kind of a new workspace, if isolation.default is not set: container (full), worktree, directory (a plain copy) or none (shared)',
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
    .describe('days after which gc may remove an idle workspace'),
  container: ContainerDefaultsSchema.optional(),
});
/** The workspace settings of all tasks, as in `workspace:` of the configuration. */
export type WorkspaceDefaults = z.infer<typeof WorkspaceDefaultsSchema>;
