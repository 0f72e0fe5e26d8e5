import { z } from 'zod';
import { RefusedConnectionSchema, RiskSchema } from '../../domain/result.js';
import { SnapshotSchema } from '../../domain/snapshot.js';
import { WorkspaceDetailsSchema } from '../../domain/workspace.js';
import { showWorkspace } from '../../operations/show.js';
import { requireOwnWorkspace } from '../own.js';
import { defineTool } from '../tool.js';
import { workspaceWord } from '../words.js';

export const workspaceShow = defineTool({
  name: 'workspace_show',
  title: 'Show a workspace',
  description:
    'Shows one workspace with everything that is known about it: changes, what removing it would lose, its checkpoints, and connections that its sandbox refused.',
  input: z.object({ workspace: workspaceWord }),
  output: z.object({
    workspace: WorkspaceDetailsSchema,
    risks: z.array(RiskSchema).describe('what removing it would lose'),
    snapshots: z.array(SnapshotSchema),
    refusedConnections: z.array(RefusedConnectionSchema),
  }),
  annotations: { readOnlyHint: true, openWorldHint: false },
  run: async ({ workspace: name }, call) => {
    const { id } = await requireOwnWorkspace(call, name);
    const shown = await showWorkspace(call.context, { repository: call.directory, name: id });
    const { risks, snapshots, refusedConnections, ...workspace } = shown;
    return {
      value: {
        workspace,
        risks: risks.map(risk => ({ ...risk, items: [...risk.items] })),
        snapshots: [...snapshots],
        refusedConnections: [...refusedConnections],
      },
    };
  },
});
