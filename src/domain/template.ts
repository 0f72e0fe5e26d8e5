import { z } from 'zod';
import { EnvironmentSchema, ResourceLimitsSchema } from './container.js';
import { IsolationModeSchema } from './isolation.js';

/** Ends up in front of a workspace's name in a branch, so it is held to what git takes there. */
export const BranchPrefixSchema = z
  .string()
  .regex(
    /^(?:[A-Za-z0-9](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?\/)*(?:[A-Za-z0-9][A-Za-z0-9_-]*)?$/,
    'the beginning of a branch name, such as "carrel/"',
  );

/** In the way of .gitignore. The file system is not left: no `..`, no line breaks. */
export const IncludePatternSchema = z
  .string()
  .min(1)
  .refine(
    pattern => !/[\0\r\n]/.test(pattern) && !pattern.split('/').includes('..'),
    'a pattern of files inside the repository, such as ".env*"',
  );

export const IncludeSchema = z.array(IncludePatternSchema);
/** One shell command to the line. */
export const SetupSchema = z.array(z.string().min(1));
export const InstallSchema = z.enum(['auto', 'off']);

/** A named bundle for `carrel up --template`; what it leaves out is as configured elsewhere. */
export const TemplateSchema = z.strictObject({
  agent: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9_-]*$/, 'the name of an agent, such as claude')
    .optional()
    .describe('the agent that the workspace is for'),
  isolation: IsolationModeSchema.optional().describe('isolation mode: full, worktree or shared'),
  runtime: z
    .enum(['auto', 'host', 'bubblewrap', 'podman', 'docker'])
    .optional()
    .describe("where commands run: auto, host, bubblewrap, podman or docker; in the user's file only"),
  image: z.string().min(1).optional().describe('image for `full` isolation'),
  network: z
    .enum(['none', 'allowlist', 'full'])
    .optional()
    .describe("network of `full` isolation: none, allowlist or full; in the user's file only"),
  limits: ResourceLimitsSchema.optional().describe('what commands of `full` isolation may use at most'),
  environment: EnvironmentSchema.optional().describe(
    "variables for commands in the workspace; in the user's file only",
  ),
  include: IncludeSchema.optional().describe(
    'ignored files to bring along, besides those of workspace.include',
  ),
  setup: SetupSchema.optional().describe('commands to run after creation, instead of workspace.setup'),
  install: InstallSchema.optional().describe('install dependencies after creation: auto or off'),
  branchPrefix: BranchPrefixSchema.optional().describe(
    'prefix of the branch, instead of workspace.branchPrefix',
  ),
});
export type Template = z.infer<typeof TemplateSchema>;
