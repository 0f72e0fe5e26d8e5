import { z } from 'zod';
import { requestObject } from '../../domain/api/request-object.js';
import { type NetworkReport, NetworkReportSchema } from '../../domain/report/network-report.js';
import { AllowedHostSchema } from '../../domain/sandbox/sandbox.js';
import { workspaceField } from '../fields.js';
import { defineOperation } from '../operation.js';
import { changeAllowedHosts } from './allow-hosts.js';

const input = requestObject({
  workspace: workspaceField,
  hosts: z
    .array(AllowedHostSchema)
    .optional()
    .describe(
      'hosts to allow, such as api.example.com, *.example.com or localhost:8080; without hosts, list those that are allowed',
    ),
  remove: z.boolean().optional().describe('remove these hosts instead'),
});
export type AllowWorkspaceRequest = z.input<typeof input>;
export type AllowWorkspaceAnswer = NetworkReport;

export const allowHosts = defineOperation({
  noun: 'workspace',
  verb: 'allow',
  summary: 'List or change the hosts that the sandbox of a workspace may reach',
  input,
  output: NetworkReportSchema,
  subject: 'workspace',
  effects: 'changes',
  commandLine: {
    command: 'allow',
    group: 'Create and use workspaces',
    arguments: ['workspace', 'hosts'],
    prints: { by: 'its command' },
  },
  http: { not: 'a request must not widen the network of a sandbox: programs use the API, too' },
  mcp: { not: 'an agent must not widen its own network' },
  run: ({ context, repository }, { workspace, ...change }) =>
    changeAllowedHosts(context, { repository, name: workspace, ...change }),
});
