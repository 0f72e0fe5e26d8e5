import { z } from 'zod';
import { LandResultSchema } from '../../domain/result.js';
import { landWorkspace } from '../../operations/land.js';
import { requireOwnWorkspace } from '../own.js';
import { defineTool } from '../tool.js';
import { workspaceWord } from '../words.js';

export const workspaceLand = defineTool({
  name: 'workspace_land',
  title: 'Land a workspace',
  description:
    "Brings a workspace's commits to a branch of the repository, and removes the workspace when nothing is left in it. Refuses, and changes nothing, on conflicts and when something is not committed and there is no message.",
  input: z.object({
    workspace: workspaceWord,
    into: z.string().optional().describe('the branch to land on; the one it started from when left out'),
    strategy: z.enum(['merge', 'squash', 'rebase']).default('merge'),
    message: z
      .string()
      .optional()
      .describe('for the commit; what is not committed is committed with it first'),
    keep: z.boolean().default(false).describe('leave the workspace in place'),
  }),
  output: LandResultSchema,
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  changesResources: true,
  run: async ({ workspace, ...wishes }, call) => {
    const { id } = await requireOwnWorkspace(call, workspace);
    const { context, directory: repository, signal } = call;
    return { value: await landWorkspace(context, { repository, name: id, ...wishes, signal }) };
  },
});
