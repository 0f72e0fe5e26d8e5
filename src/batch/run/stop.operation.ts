import { requestObject } from '../../domain/api/request-object.js';
import { type BatchSummary, BatchSummarySchema } from '../../domain/batch/batch-summary.js';
import { defineOperation } from '../../operations/operation.js';
import { NOT_FOR_AGENTS, runField } from '../record/run-field.js';
import { stopRun } from './stop-run.js';

const input = requestObject({ run: runField });
export type StopBatchAnswer = BatchSummary;

export const stopBatchOperation = defineOperation({
  noun: 'batch',
  verb: 'stop',
  summary: 'Stop a batch run after its running attempts',
  input,
  output: BatchSummarySchema,
  subject: 'run',
  effects: 'removes',
  commandLine: { not: 'Ctrl-C in the terminal that runs it' },
  http: {
    method: 'post',
    path: '/api/batches/{run}/stop',
    status: 202,
    answer: 'the run is stopping',
    problems: [404, 409],
  },
  mcp: NOT_FOR_AGENTS,
  run: ({ context }, { run }) => stopRun(context, run),
});
