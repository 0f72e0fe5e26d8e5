import { type RemovalRisks, RemovalRisksSchema } from '../../domain/api/removal-risks.js';
import { requestObject } from '../../domain/api/request-object.js';
import { workspaceField } from '../fields.js';
import { listParts } from '../group/group-records.js';
import { defineOperation } from '../operation.js';
import { findWorkspace } from '../workspace/find-workspace.js';
import { assessParts } from './down.js';

export type ListRisksAnswer = RemovalRisks;

export const listRisks = defineOperation({
  noun: 'workspace',
  verb: 'risks',
  summary: 'Show what removing a workspace would lose, without removing it',
  input: requestObject({ workspace: workspaceField }),
  output: RemovalRisksSchema,
  subject: 'workspace',
  effects: 'reads',
  commandLine: { not: '`carrel show` prints them' },
  http: {
    method: 'get',
    path: '/api/workspaces/{workspace}/risks',
    operationId: 'listWorkspaceRisks',
    answer: 'the risks; empty if nothing would be lost',
    problems: [404],
  },
  mcp: { not: 'workspace_show has them' },
  run: async ({ context, repository }, { workspace }) => {
    const record = await findWorkspace(context, { repository, name: workspace });
    const risks = await assessParts(context, await listParts(context, record));
    const { id, name, path } = record;
    return { id, name, path, risks };
  },
});
