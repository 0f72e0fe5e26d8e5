import { z } from 'zod';

/** Where a task's files are and where its commands run. */
export const IsolationModeSchema = z
  .enum(['full', 'worktree', 'shared'])
  .describe('full: own worktree and a sandbox; worktree: own worktree; shared: the repository itself');
/** `full`: own worktree and a sandbox. `worktree`: own worktree. `shared`: the repository itself. */
export type IsolationMode = z.infer<typeof IsolationModeSchema>;

const OnUnavailableSchema = z
  .enum(['degrade', 'fail'])
  .describe(
    'what to do when a mode is not available: degrade uses the next weaker one and warns, fail refuses',
  );
export type OnUnavailable = z.infer<typeof OnUnavailableSchema>;

/** The isolation mode of tasks: a default, and overrides by workflow. */
export const IsolationConfigSchema = z.strictObject({
  default: IsolationModeSchema.optional()
    .default('worktree')
    .describe('isolation mode of new workspaces and tasks: full, worktree or shared'),
  overrides: z
    .record(z.string(), IsolationModeSchema)
    .optional()
    .describe('isolation mode by workflow name; overrides the default'),
  onUnavailable: OnUnavailableSchema.optional().default('degrade'),
});
/** The isolation mode of all tasks, with overrides by workflow. */
export type IsolationConfig = z.infer<typeof IsolationConfigSchema>;
