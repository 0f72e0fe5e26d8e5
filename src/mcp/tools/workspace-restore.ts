import { z } from 'zod';
import { WorkspaceSchema } from '../../domain/workspace.js';
import { restoreSnapshot } from '../../operations/restore.js';
import { requireOwnSnapshot } from '../own.js';
import { defineTool } from '../tool.js';

export const workspaceRestore = defineTool({
  name: 'workspace_restore',
  title: 'Bring a checkpoint back',
  description:
    'Brings a checkpoint, or the snapshot of a removed workspace, back as a workspace. One that is still there is not changed: the checkpoint comes back beside it, under the name `as`.',
  input: z.object({
    snapshot: z.string().min(1).describe('id of a snapshot, or the name of a workspace for its newest one'),
    as: z.string().optional().describe('what to call it; as it was called when left out'),
  }),
  output: WorkspaceSchema,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  changesResources: true,
  run: async ({ snapshot, as }, call) => {
    await requireOwnSnapshot(call, snapshot);
    const { context, directory: repository, signal } = call;
    return { value: await restoreSnapshot(context, { repository, snapshot, as, signal }) };
  },
});
