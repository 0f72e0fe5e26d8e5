import type { z } from 'zod';
import { requestObject } from '../../domain/api/request-object.js';
import { type BatchRun, BatchRunSchema } from '../../domain/batch/batch-run.js';
import { defineOperation } from '../../operations/operation.js';
import { findRun } from './find-run.js';
import { NOT_FOR_AGENTS, runField } from './run-field.js';
import { readRun } from './run-store.js';

const input = requestObject({ run: runField });
export type ShowBatchRequest = z.input<typeof input>;
export type ShowBatchAnswer = BatchRun;

export const showBatchOperation = defineOperation({
  noun: 'batch',
  verb: 'show',
  summary: 'Show a batch run, or the attempts of one task',
  input,
  output: BatchRunSchema,
  subject: 'run',
  effects: 'reads',
  commandLine: {
    command: 'eval show',
    group: 'Evaluate agents',
    arguments: ['run'],
    prints: { by: 'its command' },
  },
  http: {
    method: 'get',
    path: '/api/batches/{run}',
    answer: 'the run with its attempts',
    problems: [404],
    by: 'its route',
  },
  mcp: NOT_FOR_AGENTS,
  run: async ({ context }, { run }) => readRun(await findRun(context, run)),
});
