import { z } from 'zod';
import { requestObject } from '../../domain/api/request-object.js';
import { type WorkspaceDetails, WorkspaceDetailsSchema } from '../../domain/workspace/workspace.js';
import { defineOperation } from '../operation.js';
import { listWorkspaces as list } from './list.js';

const input = requestObject({
  all: z.boolean().optional().describe('list the workspaces of all repositories'),
  fast: z
    .boolean()
    .optional()
    .describe('list only what is recorded, without reading files; fields that need them are null'),
});
export type ListWorkspacesRequest = z.input<typeof input>;
export type ListWorkspacesAnswer = WorkspaceDetails[];

export const listWorkspaces = defineOperation({
  noun: 'workspace',
  verb: 'list',
  summary: 'List the workspaces of one repository or of all repositories',
  description:
    'Lists the workspaces of this repository, oldest first, with their changes and their distance from the base.',
  input,
  output: z.array(WorkspaceDetailsSchema),
  effects: 'reads',
  commandLine: {
    command: 'ls',
    summary: 'List the workspaces of this repository or of all repositories',
    aliases: ['ps'],
    group: 'Create and use workspaces',
    arguments: [],
    prints: { by: 'its command' },
  },
  http: {
    method: 'get',
    path: '/api/workspaces',
    operationId: 'listWorkspaces',
    answer: 'oldest first',
    problems: [400, 404, 422],
    everywhere: true,
    by: 'its route',
  },
  mcp: { tool: 'workspace_list', without: { all: 'an agent has access to one repository' } },
  run: ({ context, repository }, request) => list(context, { ...request, repository }),
});
