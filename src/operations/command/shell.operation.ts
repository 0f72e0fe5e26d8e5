import { requestObject } from '../../domain/api/request-object.js';
import { ExecResultSchema } from '../../domain/report/result.js';
import { workspaceField } from '../fields.js';
import { defineOperation } from '../operation.js';
import { shellInWorkspace as shell } from './shell.js';

export const shellInWorkspace = defineOperation({
  noun: 'workspace',
  verb: 'shell',
  summary: 'Start a shell in a workspace',
  input: requestObject({ workspace: workspaceField }),
  output: ExecResultSchema,
  subject: 'workspace',
  effects: 'changes',
  commandLine: {
    command: 'shell',
    group: 'Create and use workspaces',
    arguments: ['workspace'],
    prints: { by: 'its command' },
  },
  http: { not: 'it needs a terminal, and the API runs no commands' },
  mcp: { not: 'it needs a terminal; agents have workspace_exec' },
  run: ({ context, repository, signal }, { workspace }) =>
    shell(context, { repository, name: workspace, signal }),
});
