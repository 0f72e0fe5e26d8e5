import { z } from 'zod';

/** The user's word for where a task's files are and where its commands run. */
export const IsolationModeSchema = z
  .enum(['full', 'worktree', 'shared'])
  .describe('full: own worktree and a sandbox; worktree: own worktree; shared: the repository itself');
export type IsolationMode = z.infer<typeof IsolationModeSchema>;

const OnUnavailableSchema = z
  .enum(['degrade', 'fail'])
  .describe(
    'what to do when a mode can not be had: degrade takes the next weaker one and warns, fail refuses',
  );
export type OnUnavailable = z.infer<typeof OnUnavailableSchema>;

/** Which mode tasks get: one for all, and others for single workflows. */
export const IsolationConfigSchema = z.strictObject({
  default: IsolationModeSchema.optional()
    .default('shared')
    .describe('isolation mode where nothing else chooses one: full, worktree or shared'),
  overrides: z
    .record(z.string(), IsolationModeSchema)
    .optional()
    .describe('isolation mode by workflow name; stronger than the default'),
  onUnavailable: OnUnavailableSchema.optional().default('degrade'),
});
export type IsolationConfig = z.infer<typeof IsolationConfigSchema>;
