import { z } from 'zod';
import { requestObject } from '../../domain/api/request-object.js';
import { type BatchSummary, BatchSummarySchema } from '../../domain/batch/batch-summary.js';
import { defineOperation } from '../../operations/operation.js';
import { listRuns } from './find-run.js';
import { NOT_FOR_AGENTS } from './run-field.js';
import { summarizeBatch } from './summarize-batch.js';

const input = requestObject({});
export type ListBatchesRequest = z.input<typeof input>;
export type ListBatchesAnswer = BatchSummary[];

export const listBatchesOperation = defineOperation({
  noun: 'batch',
  verb: 'list',
  summary: 'List batch runs',
  input,
  output: z.array(BatchSummarySchema),
  effects: 'reads',
  commandLine: { command: 'eval ls', group: 'Evaluate agents', arguments: [], prints: { by: 'its command' } },
  http: {
    method: 'get',
    path: '/api/batches',
    operationId: 'listBatches',
    answer: 'newest first',
    problems: [],
    repository: 'none',
  },
  mcp: NOT_FOR_AGENTS,
  run: async ({ context }) => (await listRuns(context)).map(summarizeBatch),
});
