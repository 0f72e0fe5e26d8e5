import { z } from 'zod';
import { requestObject } from '../../../domain/api/request-object.js';
import { defineOperation } from '../../../operations/operation.js';
import { NOT_FOR_AGENTS } from '../../record/run-field.js';
import { attemptFields, readAttemptLog } from './attempt-file.js';

const input = requestObject(attemptFields);
export type LogBatchRequest = z.input<typeof input>;

export const logBatchOperation = defineOperation({
  noun: 'batch',
  verb: 'log',
  summary: 'Read the output of the agent of an attempt; only the end of long output',
  input,
  output: z.string(),
  subject: 'run',
  effects: 'reads',
  commandLine: { not: '`carrel eval show RUN --task TASK` prints the path of the file' },
  http: {
    method: 'get',
    path: '/api/batches/{run}/attempts/{task}/{attempt}/log',
    operationId: 'showAttemptLog',
    answer: 'the raw output; the client must handle control characters',
    problems: [400, 404],
    text: 'text/plain',
  },
  mcp: NOT_FOR_AGENTS,
  run: async ({ context }, attempt) => (await readAttemptLog(context, attempt)).toString('utf8'),
});
