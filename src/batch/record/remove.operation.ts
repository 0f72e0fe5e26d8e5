import type { z } from 'zod';
import { requestObject } from '../../domain/api/request-object.js';
import { type RunRemoval, RunRemovalSchema } from '../../domain/batch/eval-report.js';
import { defineOperation } from '../../operations/operation.js';
import { removeRun } from './remove-run.js';
import { NOT_FOR_AGENTS, runField } from './run-field.js';

const input = requestObject({ run: runField });
export type RemoveBatchRequest = z.input<typeof input>;
export type RemoveBatchAnswer = RunRemoval;

export const removeBatchOperation = defineOperation({
  noun: 'batch',
  verb: 'remove',
  summary: 'Remove the results of a batch run and the files of its attempts',
  input,
  output: RunRemovalSchema,
  subject: 'run',
  effects: 'removes',
  commandLine: {
    command: 'eval rm',
    group: 'Evaluate agents',
    arguments: ['run'],
    prints: { by: 'its command' },
  },
  http: { not: 'results are removed by a user of the machine that has them' },
  mcp: NOT_FOR_AGENTS,
  run: ({ context }, { run }) => removeRun(context, run),
});
