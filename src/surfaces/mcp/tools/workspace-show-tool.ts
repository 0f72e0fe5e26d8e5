import { z } from 'zod';
import { WorkspacePageSchema } from '../../../domain/report/workspace-page.js';
import { WorkspaceDetailsSchema } from '../../../domain/workspace/workspace.js';
import { showWorkspace } from '../../../operations/workspace/show.operation.js';
import { defineOwnTool } from './own-tool.js';

const { risks, snapshots, refusedConnections, autorunFiles } = WorkspacePageSchema.shape;

/** The workspace as in workspace_list, and what else is known about it. */
export const answerShow = defineOwnTool({
  output: z.object({ workspace: WorkspaceDetailsSchema, risks, snapshots, refusedConnections, autorunFiles }),
  run: async (input: { readonly workspace: string }, call) => {
    const { context, directory: repository, signal } = call;
    const shown = WorkspacePageSchema.parse(await showWorkspace.run({ context, repository, signal }, input));
    const { risks, snapshots, refusedConnections, autorunFiles, ...workspace } = shown;
    return { value: { workspace, risks, snapshots, refusedConnections, autorunFiles } };
  },
});
