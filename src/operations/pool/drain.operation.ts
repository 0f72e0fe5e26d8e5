import { requestObject } from '../../domain/api/request-object.js';
import { type PoolDraining, PoolDrainingSchema } from '../../domain/workspace/pool-report.js';
import { defineOperation } from '../operation.js';
import { drainPool as drain } from './manage-pool.js';

export type DrainPoolAnswer = PoolDraining;

export const drainPool = defineOperation({
  noun: 'pool',
  verb: 'drain',
  summary: 'Remove the warm workspaces that are not in use',
  input: requestObject({}),
  output: PoolDrainingSchema,
  effects: 'removes',
  commandLine: {
    command: 'pool drain',
    group: 'Keep workspaces warm',
    arguments: [],
    prints: { by: 'its command' },
  },
  http: {
    method: 'post',
    path: '/api/pool/drain',
    answer: 'the removed slots and those in use',
    problems: [400, 404, 422],
  },
  mcp: { not: 'the user decides how many workspaces are warm' },
  run: ({ context, repository }) => drain(context, { repository }),
});
