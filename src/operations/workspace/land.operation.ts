import type { z } from 'zod';
import { requestObject } from '../../domain/api/request-object.js';
import { type LandResult, LandResultSchema } from '../../domain/report/result.js';
import { landFields, workspaceField } from '../fields.js';
import { defineOperation } from '../operation.js';
import { landWorkspace as land } from './land.js';

const input = requestObject({ workspace: workspaceField, ...landFields });
export type LandWorkspaceRequest = z.input<typeof input>;
export type LandRequest = Omit<LandWorkspaceRequest, 'workspace'>;
export type LandWorkspaceAnswer = LandResult;

export const landWorkspace = defineOperation({
  noun: 'workspace',
  verb: 'land',
  summary: "Land a workspace's commits on a branch",
  description:
    "Lands a workspace's commits on a branch of the repository, and removes the workspace when nothing is left in it. Refuses and changes nothing if there are conflicts, or uncommitted changes and no message.",
  input,
  output: LandResultSchema,
  subject: 'workspace',
  effects: 'removes',
  commandLine: {
    command: 'land',
    group: 'Keep and land work',
    arguments: ['workspace'],
    options: {
      workspace: { description: 'the workspace: its name, its id, or the beginning of its id; or a task' },
      into: { value: 'branch' },
      message: { value: 'text', letter: 'm' },
    },
    without: { strategy: 'three options name it' },
    prints: { by: 'its command' },
  },
  http: {
    method: 'post',
    path: '/api/workspaces/{workspace}/land',
    answer: 'the landed work',
    problems: [400, 404, 409, 422],
    body: { id: 'land-request', title: 'How to land a workspace' },
  },
  mcp: {
    tool: 'workspace_land',
    without: { allowAutorunFiles: 'the user decides what may run automatically in their checkout' },
    changesResources: true,
  },
  run: ({ context, repository, signal }, { workspace, ...request }) =>
    land(context, { ...request, repository, name: workspace, signal }),
});
