import { z } from 'zod';
import { requestObject } from '../../domain/api/request-object.js';
import { type Snapshot, SnapshotSchema } from '../../domain/snapshot/snapshot.js';
import { workspaceField } from '../fields.js';
import { defineOperation } from '../operation.js';
import { snapshotWorkspace as take } from './snapshot.js';

const input = requestObject({
  workspace: workspaceField,
  message: z.string().optional().describe('a message for the snapshot'),
});
export type SnapshotWorkspaceRequest = z.input<typeof input>;
export type SnapshotRequest = Omit<SnapshotWorkspaceRequest, 'workspace'>;
export type SnapshotWorkspaceAnswer = Snapshot;

export const snapshotWorkspace = defineOperation({
  noun: 'workspace',
  verb: 'snapshot',
  summary: 'Take a snapshot of everything in a workspace',
  description:
    'Takes a snapshot of everything in a workspace, including uncommitted and untracked files. The workspace does not change. workspace_restore restores the snapshot.',
  input,
  output: SnapshotSchema,
  subject: 'workspace',
  effects: 'changes',
  commandLine: {
    command: 'snapshot',
    group: 'Keep and land work',
    arguments: ['workspace'],
    options: { message: { value: 'text', letter: 'm' } },
    prints: { by: 'its command' },
  },
  http: {
    method: 'post',
    path: '/api/workspaces/{workspace}/snapshots',
    status: 201,
    answer: 'the snapshot',
    problems: [400, 404, 409, 422, 503],
    body: { id: 'snapshot-request', title: 'A snapshot to take' },
  },
  mcp: { tool: 'workspace_checkpoint' },
  run: ({ context, repository }, { workspace, message }) =>
    take(context, { repository, name: workspace, message }),
});
