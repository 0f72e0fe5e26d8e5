import { z } from 'zod';
import { SnapshotSchema } from '../../domain/snapshot.js';
import { snapshotWorkspace } from '../../operations/snapshot.js';
import { requireOwnWorkspace } from '../own.js';
import { defineTool } from '../tool.js';
import { workspaceWord } from '../words.js';

export const workspaceCheckpoint = defineTool({
  name: 'workspace_checkpoint',
  title: 'Keep a workspace as it is now',
  description:
    'Keeps everything in a workspace as it is now, uncommitted and untracked files included. The workspace is not changed. workspace_restore brings it back.',
  input: z.object({
    workspace: workspaceWord,
    message: z.string().optional().describe('what it is, for people'),
  }),
  output: SnapshotSchema,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  run: async ({ workspace, message }, call) => {
    const { id } = await requireOwnWorkspace(call, workspace);
    return {
      value: await snapshotWorkspace(call.context, { repository: call.directory, name: id, message }),
    };
  },
});
