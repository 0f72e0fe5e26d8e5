import { requestObject } from '../../domain/api/request-object.js';
import { type PoolReport, PoolReportSchema } from '../../domain/workspace/pool-report.js';
import { defineOperation } from '../operation.js';
import { poolStatus } from './manage-pool.js';

export type ShowPoolAnswer = PoolReport;

export const showPool = defineOperation({
  noun: 'pool',
  verb: 'status',
  summary: 'Show the warm workspaces of a repository',
  input: requestObject({}),
  output: PoolReportSchema,
  effects: 'reads',
  commandLine: {
    command: 'pool status',
    summary: 'Show the warm workspaces of this repository',
    group: 'Keep workspaces warm',
    arguments: [],
    prints: { by: 'its command' },
  },
  http: {
    method: 'get',
    path: '/api/pool',
    operationId: 'showPool',
    answer: 'the slots and leftovers of earlier ones',
    problems: [400, 404, 422],
  },
  mcp: { not: 'an agent gets a warm workspace automatically; the user decides how many there are' },
  run: ({ context, repository }) => poolStatus(context, { repository }),
});
