import { z } from 'zod';
import { IsolationModeSchema } from '../isolation.js';
import { EnvironmentSchema, ResourceLimitsSchema } from '../sandbox/container.js';
import { GroupRepositoriesSchema } from './group-repositories.js';

/** Comes before a workspace's name in a branch, so it is limited to what git accepts there. */
export const BranchPrefixSchema = z
  .string()
  .regex(
    /^(?:[A-Za-z0-9](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?\/)*(?:[A-Za-z0-9][A-Za-z0-9_-]*)?$/,
    'the start of a branch name, such as "carrel/"',
  );

/** In .gitignore syntax. It cannot leave the repository: no `..`, no line breaks. */
export const IncludePatternSchema = z
  .string()
  .min(1)
  .refine(
    pattern => !/[\0\r\n]/.test(pattern) && !pattern.split('/').includes('..'),
    'a pattern of files inside the repository, such as ".env*"',
  );

export const IncludeSchema = z.array(IncludePatternSchema);
/** One shell command per line. */
export const SetupSchema = z.array(z.string().min(1));
export const InstallSchema = z.enum(['auto', 'off']);

/** Named settings for `carrel up --template`; anything left out comes from the other configuration. */
export const TemplateSchema = z.strictObject({
  agent: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9_-]*$/, 'the name of an agent, such as claude')
    .optional()
    .describe('the agent that the workspace is for'),
  isolation: IsolationModeSchema.optional().describe('isolation mode: full, worktree or shared'),
  runtime: z
    .enum(['auto', 'host', 'bubblewrap', 'podman', 'docker', 'seatbelt'])
    .optional()
    .describe(
      "where commands run: auto, host, bubblewrap, podman, docker, or seatbelt (macOS, experimental); in the user's file only",
    ),
  image: z.string().min(1).optional().describe('image for `full` isolation'),
  network: z
    .enum(['none', 'allowlist', 'full', 'host'])
    .optional()
    .describe("network of `full` isolation: none, allowlist, full or host; in the user's file only"),
  limits: ResourceLimitsSchema.optional().describe('resource limits of commands with `full` isolation'),
  environment: EnvironmentSchema.optional().describe(
    "variables for commands in the workspace; in the user's file only",
  ),
  include: IncludeSchema.optional().describe('ignored files to copy, in addition to workspace.include'),
  setup: SetupSchema.optional().describe('commands to run after creation, instead of workspace.setup'),
  install: InstallSchema.optional().describe('install dependencies after creation: auto or off'),
  branchPrefix: BranchPrefixSchema.optional().describe(
    'prefix of the branch, instead of workspace.branchPrefix',
  ),
  repositories: GroupRepositoriesSchema.optional().describe(
    'other repositories that get a workspace of the same name and branch: paths relative to this repository, or a mapping from an alias to a path or to path and base; those of a repository are used only after `carrel trust`',
  ),
});
export type Template = z.infer<typeof TemplateSchema>;
