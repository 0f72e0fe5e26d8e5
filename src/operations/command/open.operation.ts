import { z } from 'zod';
import { requestObject } from '../../domain/api/request-object.js';
import { OpeningSchema } from '../../domain/report/result.js';
import { workspaceField } from '../fields.js';
import { defineOperation } from '../operation.js';
import { openWorkspace as open } from './open.js';

const NOT_THEIRS = { not: "it starts a program on the user's own screen" };

export const openWorkspace = defineOperation({
  noun: 'workspace',
  verb: 'open',
  summary: 'Open a workspace in an editor, or a server in it in the browser',
  input: requestObject({
    workspace: workspaceField,
    with: z.string().optional().describe('the program to open it with, such as code'),
    port: z
      .int()
      .min(1)
      .optional()
      .describe('open http://127.0.0.1:PORT in the browser instead; one of the ten ports of the workspace'),
  }),
  output: OpeningSchema,
  subject: 'workspace',
  effects: 'changes',
  commandLine: {
    command: 'open',
    group: 'Create and use workspaces',
    arguments: ['workspace'],
    options: { with: { value: 'program' }, port: { value: 'port' } },
    prints: { by: 'its command' },
  },
  http: NOT_THEIRS,
  mcp: NOT_THEIRS,
  run: ({ context, repository }, { workspace, ...request }) =>
    open(context, { ...request, repository, name: workspace }),
});
