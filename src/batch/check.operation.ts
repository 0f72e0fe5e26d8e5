import { z } from 'zod';
import { requestObject } from '../domain/api/request-object.js';
import { EvalCheckSchema } from '../domain/batch/eval-report.js';
import { defineOperation } from '../operations/operation.js';
import { checkDataset } from './check-dataset.js';
import { datasetFields, datasetOptions } from './plan/dataset-fields.js';
import { readCheck } from './plan/plan-request.js';
import { NOT_FOR_AGENTS } from './record/run-field.js';

const input = requestObject({
  ...datasetFields,
  parallelism: datasetFields.parallelism.describe('number of attempts to run in parallel (default: 2)'),
  repeats: z.int().min(1).optional().describe('run the reference solution N times (default: 3)'),
});
export type CheckBatchRequest = z.input<typeof input>;

export const checkBatchOperation = defineOperation({
  noun: 'batch',
  verb: 'check',
  summary: 'Check a dataset for tasks that are broken, flaky or trivially solved',
  input,
  output: EvalCheckSchema,
  effects: 'changes',
  commandLine: {
    command: 'eval check',
    group: 'Evaluate agents',
    arguments: [],
    options: { ...datasetOptions, repeats: { value: 'number' } },
    prints: { by: 'its command' },
  },
  http: { not: 'it quarantines tasks for every user of the dataset: a user of the machine does that' },
  mcp: NOT_FOR_AGENTS,
  run: ({ context, signal: stop }, request) => checkDataset(context, { ...readCheck(request), stop }),
});
