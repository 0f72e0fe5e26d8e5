import { z } from 'zod';
import { WorkspaceSchema } from '../../domain/workspace.js';
import { up } from '../../operations/up.js';
import { defineTool } from '../tool.js';
import { sandboxWord } from '../words.js';

export const workspaceCreate = defineTool({
  name: 'workspace_create',
  title: 'Make a workspace',
  description:
    "Makes a workspace: a directory of your own with all files of the repository, on a branch of its own. Work in the `path` of the answer; the user's checkout is not touched.",
  input: z.object({
    name: z.string().optional().describe('what to call it, such as fix-login; made up when left out'),
    base: z
      .string()
      .optional()
      .describe("the branch, tag or commit to start from; the repository's HEAD when left out"),
    branch: z.string().optional().describe('the branch to make; of the name when left out'),
    isolation: sandboxWord,
  }),
  output: WorkspaceSchema,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  changesResources: true,
  run: async ({ name, base, branch, isolation }, { context, directory, signal }) => ({
    value: await up(context, {
      repository: directory,
      name,
      base,
      branch,
      isolation,
      // Who asks for a sandbox gets one or nothing: a warning is easily overlooked.
      strict: isolation === 'full' ? true : undefined,
      signal,
    }),
  }),
});
