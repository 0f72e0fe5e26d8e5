import { z } from 'zod';
import { requestObject } from '../../domain/api/request-object.js';
import { type ResetResult, ResetResultSchema } from '../../domain/report/reset-result.js';
import { workspaceField } from '../fields.js';
import { defineOperation } from '../operation.js';
import { resetWorkspace as reset } from './reset.js';

const input = requestObject({
  workspace: workspaceField,
  discardChanges: z.boolean().optional().describe('reset it even if it has uncommitted changes'),
  discardCommits: z.boolean().optional().describe('reset it even if it has commits that exist nowhere else'),
  stopProcesses: z.boolean().optional().describe('stop the processes that run in it'),
  setup: z
    .boolean()
    .optional()
    .describe("run the repository's setup commands and the installation of dependencies again"),
  trust: z.boolean().optional().describe("run the repository's setup commands even if they are not approved"),
});
export type ResetWorkspaceRequest = z.input<typeof input>;
export type ResetWorkspaceAnswer = ResetResult;

const ifUserAgreed = (what: string) =>
  z.boolean().default(false).describe(`only if the user agreed: ${what}`);

export const resetWorkspace = defineOperation({
  noun: 'workspace',
  verb: 'reset',
  summary: 'Return a workspace to its base; refuses if work would be lost',
  description:
    'Returns the files and the branch of a workspace to its base commit, as when it was created. Id, path and ports stay. If work would be lost, nothing changes, and the result lists it and the argument that accepts it. The old files are kept in a snapshot for workspace_restore.',
  input,
  output: ResetResultSchema,
  subject: 'workspace',
  effects: 'removes',
  commandLine: {
    command: 'reset',
    group: 'Keep and land work',
    arguments: ['workspace'],
    prints: { by: 'its command' },
  },
  http: {
    method: 'post',
    path: '/api/workspaces/{workspace}/reset',
    answer: 'the result, with the snapshot that has what was there',
    problems: [400, 404, 409, 422],
    without: { trust: 'a request must not approve commands that run on the host' },
  },
  mcp: {
    tool: 'workspace_reset',
    without: { trust: 'an agent must not approve commands that run on the host' },
    instead: {
      fields: {
        discardChanges: ifUserAgreed('discard uncommitted changes'),
        discardCommits: ifUserAgreed('discard commits that exist nowhere else'),
        stopProcesses: ifUserAgreed('stop the processes that run in it'),
      },
      read: given => given,
    },
    by: 'its tool',
  },
  run: ({ context, repository, signal }, { workspace, setup, trust, ...accepted }) =>
    reset(context, { repository, name: workspace, accepted, setup, trust, signal }),
});
