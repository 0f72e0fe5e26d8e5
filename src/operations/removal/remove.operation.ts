import { z } from 'zod';
import { requestObject } from '../../domain/api/request-object.js';
import { type RemovalResult, RemovalResultSchema } from '../../domain/report/result.js';
import { workspaceField } from '../fields.js';
import { defineOperation } from '../operation.js';
import { removeWorkspace as remove } from './down.js';

const input = requestObject({
  workspace: workspaceField,
  discardChanges: z.boolean().optional().describe('remove it even if it has uncommitted changes'),
  snapshotChanges: z
    .boolean()
    .optional()
    .describe('the same, but only if the snapshot of the removal contains all changes'),
  discardCommits: z.boolean().optional().describe('remove it even if it has commits that exist nowhere else'),
  stopProcesses: z.boolean().optional().describe('stop the processes that run in it'),
  breakLease: z.boolean().optional().describe('remove it even if it is leased'),
});
export type RemoveWorkspaceRequest = z.input<typeof input>;
export type RemoveWorkspaceAnswer = RemovalResult;

const FOR_PROGRAMS = { snapshotChanges: 'for programs that clean up without asking a user' };

const ifUserAgreed = (what: string) =>
  z.boolean().default(false).describe(`only if the user agreed: ${what}`);

export const removeWorkspace = defineOperation({
  noun: 'workspace',
  verb: 'remove',
  summary: 'Remove a workspace; refuses if work would be lost',
  description:
    'Removes a workspace if no work would be lost. Otherwise nothing changes, and the result lists what would be lost and the argument that accepts it. Discarded work is kept in a snapshot for workspace_restore.',
  input,
  output: RemovalResultSchema,
  subject: 'workspace',
  effects: 'removes',
  commandLine: {
    command: 'down',
    group: 'Clean up',
    arguments: ['workspace'],
    without: FOR_PROGRAMS,
    prints: { by: 'its command' },
  },
  http: {
    method: 'delete',
    path: '/api/workspaces/{workspace}',
    answer: 'the result, with the snapshot to restore it from',
    problems: [404, 409],
    without: FOR_PROGRAMS,
  },
  mcp: {
    tool: 'workspace_remove',
    without: FOR_PROGRAMS,
    instead: {
      fields: {
        discardChanges: ifUserAgreed('discard uncommitted changes'),
        discardCommits: ifUserAgreed('discard commits that exist nowhere else'),
        stopProcesses: ifUserAgreed('stop the processes that run in it'),
        breakLease: ifUserAgreed('remove it even if it is leased'),
      },
      read: given => given,
    },
    changesResources: true,
    by: 'its tool',
  },
  run: ({ context, repository, signal }, { workspace, ...accepted }) =>
    remove(context, { repository, name: workspace, accepted, signal }),
});
