import { requestObject } from '../../domain/api/request-object.js';
import { PathReportSchema } from '../../domain/report/result.js';
import { workspaceField } from '../fields.js';
import { defineOperation } from '../operation.js';
import { findPath } from './find-workspace.js';

export const findWorkspacePath = defineOperation({
  noun: 'workspace',
  verb: 'path',
  summary: 'Print the path of a workspace',
  input: requestObject({ workspace: workspaceField }),
  output: PathReportSchema,
  subject: 'workspace',
  effects: 'reads',
  commandLine: {
    command: 'path',
    group: 'Create and use workspaces',
    arguments: ['workspace'],
    prints: { by: 'its command' },
  },
  http: { not: 'every answer about a workspace has its path' },
  mcp: { not: 'every answer about a workspace has its path' },
  run: async ({ context, repository }, { workspace }) => ({
    path: await findPath(context, { repository, name: workspace }),
  }),
});
