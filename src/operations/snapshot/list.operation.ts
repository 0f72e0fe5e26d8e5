import { z } from 'zod';
import { requestObject } from '../../domain/api/request-object.js';
import { type Snapshot, SnapshotSchema } from '../../domain/snapshot/snapshot.js';
import { defineOperation } from '../operation.js';
import { listSnapshots as list } from './snapshot.js';

const input = requestObject({
  workspace: z
    .string()
    .optional()
    .describe('list only the snapshots of the workspace with this name, even if it was removed'),
  all: z.boolean().optional().describe('list the snapshots of all repositories'),
});
export type ListSnapshotsRequest = z.input<typeof input>;
export type ListSnapshotsAnswer = Snapshot[];

export const listSnapshots = defineOperation({
  noun: 'snapshot',
  verb: 'list',
  summary: 'List snapshots',
  description: 'Lists the snapshots that workspace_restore can restore, newest first.',
  input,
  output: z.array(SnapshotSchema),
  effects: 'reads',
  commandLine: {
    command: 'snapshots',
    group: 'Keep and land work',
    arguments: ['workspace'],
    prints: { by: 'its command' },
  },
  http: {
    method: 'get',
    path: '/api/snapshots',
    operationId: 'listSnapshots',
    answer: 'newest first',
    problems: [400, 404, 422],
    everywhere: true,
  },
  mcp: { tool: 'snapshot_list', without: { all: 'an agent has access to one repository' } },
  run: ({ context, repository, signal }, { workspace, all }) =>
    list(context, { repository, name: workspace, all, signal }),
});
