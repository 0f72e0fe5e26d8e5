import { z } from 'zod';
import { requestObject } from '../../domain/api/request-object.js';
import { type Workspace, WorkspaceSchema } from '../../domain/workspace/workspace.js';
import { defineOperation } from '../operation.js';
import { restoreSnapshot as restore } from './restore.js';

const input = requestObject({
  snapshot: z.string().min(1).describe('id of a snapshot, or name of a workspace for its latest snapshot'),
  as: z.string().optional().describe('name of the restored workspace (default: its old name)'),
});
export type RestoreSnapshotRequest = z.input<typeof input>;
export type RestoreRequest = Omit<RestoreSnapshotRequest, 'snapshot'>;
export type RestoreSnapshotAnswer = Workspace;

export const restoreSnapshot = defineOperation({
  noun: 'snapshot',
  verb: 'restore',
  summary: 'Restore a snapshot as a workspace',
  description:
    'Restores a checkpoint, or the snapshot of a removed workspace, as a workspace. An existing workspace is not changed: the checkpoint becomes another workspace, with the name `as`.',
  input,
  output: WorkspaceSchema,
  subject: 'snapshot',
  effects: 'changes',
  commandLine: {
    command: 'restore',
    summary: 'Restore a snapshot as a workspace and print its path',
    group: 'Keep and land work',
    arguments: ['snapshot'],
    options: { as: { value: 'name' } },
    prints: 'path',
  },
  http: {
    method: 'post',
    path: '/api/snapshots/{snapshot}/restore',
    status: 201,
    makes: '/api/workspaces',
    answer: 'the workspace',
    problems: [400, 404, 409, 422, 503],
    body: { id: 'restore-request', title: 'How to restore a snapshot' },
  },
  mcp: { tool: 'workspace_restore', changesResources: true },
  run: ({ context, repository, signal, check }, request) =>
    restore(context, { ...request, repository, signal, check }),
});
