import { z } from 'zod';
import { requestObject } from '../../domain/api/request-object.js';
import { DatasetReportSchema } from '../../domain/batch/eval-report.js';
import { defineOperation } from '../../operations/operation.js';
import { NOT_FOR_AGENTS } from '../record/run-field.js';
import { describeDataset } from './describe-dataset.js';

const input = requestObject({
  dataset: z
    .string()
    .min(1)
    .optional()
    .describe('golden, or the path of a file or directory (default: golden)'),
});

export const datasetsBatchOperation = defineOperation({
  noun: 'batch',
  verb: 'datasets',
  summary: 'List the tasks of a dataset',
  input,
  output: DatasetReportSchema,
  subject: 'dataset',
  effects: 'reads',
  commandLine: {
    command: 'eval datasets',
    group: 'Evaluate agents',
    arguments: ['dataset'],
    prints: { by: 'its command' },
  },
  http: { not: 'a run shows its tasks; other datasets are files on the machine' },
  mcp: NOT_FOR_AGENTS,
  run: ({ context }, { dataset }) => describeDataset(context, dataset),
});
