import { z } from 'zod';
import { WorkspaceDetailsSchema } from '../../domain/workspace.js';
import { listWorkspaces } from '../../operations/list.js';
import { defineTool } from '../tool.js';

export const workspaceList = defineTool({
  name: 'workspace_list',
  title: 'List workspaces',
  description:
    'Lists the workspaces of this repository, oldest first, with their changes and how far they are from their base.',
  input: z.object({}),
  output: z.object({ workspaces: z.array(WorkspaceDetailsSchema) }),
  annotations: { readOnlyHint: true, openWorldHint: false },
  run: async (_input, { context, directory }) => ({
    value: { workspaces: await listWorkspaces(context, { repository: directory }) },
  }),
});
