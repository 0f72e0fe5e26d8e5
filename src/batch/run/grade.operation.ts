import type { z } from 'zod';
import { requestObject } from '../../domain/api/request-object.js';
import { type BatchRun, BatchRunSchema } from '../../domain/batch/batch-run.js';
import { defineOperation } from '../../operations/operation.js';
import { reopenItems } from '../plan/reopen-run.js';
import { NOT_FOR_AGENTS, runField } from '../record/run-field.js';
import { regradeRun } from './regrade-run.js';

const input = requestObject({ run: runField });
export type GradeBatchRequest = z.input<typeof input>;
export type GradeBatchAnswer = BatchRun;

export const gradeBatchOperation = defineOperation({
  noun: 'batch',
  verb: 'grade',
  summary: 'Grade a batch run again without running agents',
  input,
  output: BatchRunSchema,
  subject: 'run',
  effects: 'changes',
  commandLine: {
    command: 'eval grade',
    group: 'Evaluate agents',
    arguments: ['run'],
    prints: { by: 'its command' },
  },
  http: { not: 'a request must not run the graders of a dataset again and again' },
  mcp: NOT_FOR_AGENTS,
  run: async ({ context, signal: stop }, { run }) =>
    regradeRun(context, { ...(await reopenItems(context, run, stop)), stop }),
});
