import { requestObject } from '../../domain/api/request-object.js';
import { type WorkspacePage, WorkspacePageSchema } from '../../domain/report/workspace-page.js';
import { workspaceField } from '../fields.js';
import { defineOperation } from '../operation.js';
import { showWorkspace as show } from './show.js';

export type ShowWorkspaceAnswer = WorkspacePage;

export const showWorkspace = defineOperation({
  noun: 'workspace',
  verb: 'show',
  summary: 'Show the details of a workspace',
  description:
    'Shows the details of a workspace: changes, what removing it would lose, its checkpoints, and connections that its sandbox refused.',
  input: requestObject({ workspace: workspaceField }),
  output: WorkspacePageSchema,
  subject: 'workspace',
  effects: 'reads',
  commandLine: {
    command: 'show',
    group: 'Create and use workspaces',
    arguments: ['workspace'],
    prints: { by: 'its command' },
  },
  http: {
    method: 'get',
    path: '/api/workspaces/{workspace}',
    answer: 'the workspace',
    problems: [404],
  },
  mcp: { tool: 'workspace_show', by: 'its tool' },
  run: ({ context, repository }, { workspace }) => show(context, { repository, name: workspace }),
});
