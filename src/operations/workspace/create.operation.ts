import { z } from 'zod';
import { requestObject } from '../../domain/api/request-object.js';
import { GroupRepositoriesSchema } from '../../domain/workspace/group-repositories.js';
import { type Workspace, WorkspaceSchema } from '../../domain/workspace/workspace.js';
import { isolationField } from '../fields.js';
import { defineOperation } from '../operation.js';
import { up } from './up.js';

const input = requestObject({
  name: z.string().optional().describe('the name of the workspace (default: a generated one)'),
  branch: z
    .string()
    .optional()
    .describe(
      'the branch to work on; created if it does not exist (default: the configured prefix and the name)',
    ),
  base: z
    .string()
    .optional()
    .describe("the branch, tag or commit to start from (default: the repository's HEAD)"),
  isolation: isolationField,
  strict: z.boolean().optional().describe('fail instead of falling back to a weaker isolation mode'),
  template: z
    .string()
    .optional()
    .describe('a named set of settings: claude, codex, gemini, shell, or one from the configuration'),
  setup: z
    .boolean()
    .optional()
    .describe("false skips the repository's setup commands and the installation of dependencies"),
  trust: z.boolean().optional().describe("run the repository's setup commands even if they are not approved"),
  repositories: GroupRepositoriesSchema.optional().describe(
    'other repositories that get a workspace of the same name and branch, all or none: paths, or a mapping from an alias to a path or to path and base; relative to the root of this repository',
  ),
  form: requestObject({
    kind: z.enum(['direct', 'auto', 'git', 'copy']),
    directory: z.string().min(1).optional().describe('the directory (default: that of the repository)'),
  })
    .optional()
    .describe('what to create the workspace from: a directory as it is, a repository, or a plain copy'),
});
export type CreateWorkspaceRequest = z.input<typeof input>;
export type CreateWorkspaceAnswer = Workspace;

export const createWorkspace = defineOperation({
  noun: 'workspace',
  verb: 'create',
  summary: 'Create a workspace',
  description:
    "Creates a workspace: a separate directory with all files of the repository, on its own branch. Work in the `path` of the result; the user's checkout is not touched.",
  input,
  output: WorkspaceSchema,
  effects: 'changes',
  commandLine: {
    command: 'up',
    summary: 'Create a workspace and print its path',
    group: 'Create and use workspaces',
    arguments: ['name'],
    options: {
      branch: { value: 'branch' },
      base: { value: 'ref' },
      isolation: { value: 'mode' },
      template: { value: 'name' },
      setup: { negated: "skip the repository's setup commands and the installation of dependencies" },
    },
    without: { form: 'four options name it', repositories: 'an option for each of them names it' },
    prints: { by: 'its command' },
  },
  http: {
    method: 'post',
    path: '/api/workspaces',
    status: 201,
    makes: '/api/workspaces',
    answer: 'the workspace, ready',
    problems: [400, 404, 409, 422, 503],
    clones: true,
    without: {
      trust: 'a request must not approve commands that run on the host',
      repositories: 'a request names one repository; a template that the user approved names others',
    },
    instead: {
      form: requestObject({ kind: z.literal('direct') })
        .optional()
        .describe(
          'direct: the directory of `repository` itself, as it is, or with isolation full in a sandbox',
        ),
    },
    body: { id: 'workspace-request', title: 'A workspace to create' },
  },
  mcp: {
    tool: 'workspace_create',
    without: {
      trust: 'an agent must not approve commands that run on the host',
      repositories: 'an agent must not reach other repositories without a template that the user approved',
      strict: 'an agent that requests a sandbox gets one or an error: a warning is easily overlooked',
    },
    instead: {
      fields: {
        isolation: z
          .literal('full')
          .optional()
          .describe('full: run commands in a sandbox, or fail (default: the configuration of the user)'),
        form: requestObject({ kind: z.literal('direct') })
          .optional()
          .describe(
            "direct: the user's own directory instead of a worktree; its commands always run in a sandbox",
          ),
      },
      read: given => {
        if (given.form !== undefined) return { ...given, isolation: 'full', strict: true };
        return given.isolation === 'full' ? { ...given, strict: true } : given;
      },
    },
    changesResources: true,
  },
  run: ({ context, repository, signal, check }, { form, ...request }) =>
    up(context, {
      ...request,
      form: form && { ...form, directory: form.directory ?? repository },
      repository,
      check,
      signal,
    }),
});
