import { z } from 'zod';
import { requestObject } from '../../../domain/api/request-object.js';
import { defineOperation } from '../../../operations/operation.js';
import { NOT_FOR_AGENTS } from '../../record/run-field.js';
import { attemptFields, readAttemptPatch } from './attempt-file.js';

const input = requestObject(attemptFields);
export type PatchBatchRequest = z.input<typeof input>;

export const patchBatchOperation = defineOperation({
  noun: 'batch',
  verb: 'patch',
  summary: 'Read the changes of an attempt as a patch for `git apply`',
  input,
  output: z.string(),
  subject: 'run',
  effects: 'reads',
  commandLine: { not: '`carrel eval show RUN --task TASK` prints the path of the file' },
  http: {
    method: 'get',
    path: '/api/batches/{run}/attempts/{task}/{attempt}/patch',
    operationId: 'showAttemptPatch',
    answer: 'the patch; empty if nothing changed',
    problems: [400, 404],
    text: 'text/x-diff',
    by: 'its route',
  },
  mcp: NOT_FOR_AGENTS,
  run: async ({ context }, attempt) => (await readAttemptPatch(context, attempt)).toString('utf8'),
});
