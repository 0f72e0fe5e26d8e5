import { z } from 'zod';
import { requestObject } from '../../domain/api/request-object.js';
import { carrelError } from '../../domain/error/error.js';
import { requireName } from '../../domain/name.js';
import { type Workspace, type WorkspaceRecord, WorkspaceSchema } from '../../domain/workspace/workspace.js';
import type { WorkspaceTable } from '../../store/store.js';
import { workspaceField } from '../fields.js';
import { listParts, withRepositories } from '../group/group-records.js';
import { findTaskRisk } from '../guard/task-of-workspace.js';
import { defineOperation, type OperationCall } from '../operation.js';
import { findWorkspace } from './find-workspace.js';

const input = requestObject({
  workspace: workspaceField,
  newName: z.string().describe('the new name; no other workspace of the repository may have it'),
});
export type RenameWorkspaceRequest = z.input<typeof input>;
export type RenameWorkspaceAnswer = Workspace;

export const renameWorkspace = defineOperation({
  noun: 'workspace',
  verb: 'rename',
  summary: 'Rename a workspace',
  description: 'Renames a workspace. Its path, its branch and its snapshots stay as they are.',
  input,
  output: WorkspaceSchema,
  subject: 'workspace',
  effects: 'changes',
  commandLine: {
    command: 'rename',
    group: 'Create and use workspaces',
    arguments: ['workspace', 'newName'],
    prints: 'name',
  },
  http: {
    method: 'post',
    path: '/api/workspaces/{workspace}/rename',
    answer: 'the workspace under its new name',
    problems: [400, 404, 409],
  },
  mcp: { tool: 'workspace_rename', changesResources: true },
  run: rename,
});

async function rename(
  { context, repository }: OperationCall,
  { workspace, newName }: RenameWorkspaceRequest,
): Promise<RenameWorkspaceAnswer> {
  const name = requireName(newName);
  const record = await findWorkspace(context, { repository, name: workspace });
  const parts = await listParts(context, record);
  for (const part of parts) await requireUnused(context, part);
  await context.store.atomically(async ({ workspaces }) => {
    for (const part of parts) await renamePart(workspaces, part, name);
  });
  const [renamed] = withRepositories([{ ...record, name }], await context.store.workspaces.list());
  return renamed as Workspace;
}

/** WORKSPACE_BUSY */
async function requireUnused(context: OperationCall['context'], record: WorkspaceRecord): Promise<void> {
  if (record.status !== 'ready')
    throw carrelError('WORKSPACE_BUSY', { name: record.name, status: record.status });
  const [risk] = await findTaskRisk(context, record);
  if (risk) throw carrelError('WORKSPACE_BUSY', { name: record.name, status: `in use: ${risk.message}` });
}

/** The store refuses a name that another workspace of the repository has: WORKSPACE_EXISTS. */
async function renamePart(
  workspaces: WorkspaceTable,
  { id, repositoryId, name: from }: WorkspaceRecord,
  name: string,
): Promise<void> {
  const data = { from, name };
  const event = { type: 'workspace.renamed', repositoryId, workspaceId: id, data } as const;
  const renamed = await workspaces.update(id, 'ready', { name }, [event]);
  if (!renamed) throw carrelError('WORKSPACE_BUSY', { name: from, status: 'being removed' });
}
