import type { z } from 'zod';
import { requestObject } from '../../domain/api/request-object.js';
import { type BatchSummary, BatchSummarySchema } from '../../domain/batch/batch-summary.js';
import { defineOperation } from '../../operations/operation.js';
import { findRepository } from '../../operations/workspace/find-workspace.js';
import { reopenRun } from '../plan/reopen-run.js';
import { NOT_FOR_AGENTS, runField } from '../record/run-field.js';
import { summarizeBatch } from '../record/summarize-batch.js';
import { runBatch } from '../run-batch.js';

const input = requestObject({ run: runField });
export type ResumeBatchRequest = z.input<typeof input>;
export type ResumeBatchAnswer = BatchSummary;

export const resumeBatchOperation = defineOperation({
  noun: 'batch',
  verb: 'resume',
  summary: 'Resume a batch run; finished attempts are not repeated',
  input,
  output: BatchSummarySchema,
  subject: 'run',
  effects: 'changes',
  commandLine: {
    command: 'eval resume',
    group: 'Evaluate agents',
    arguments: ['run'],
    prints: { by: 'its command' },
  },
  http: {
    method: 'post',
    path: '/api/batches/{run}/resume',
    status: 202,
    answer: 'the run continues in its own process',
    problems: [400, 404, 409, 422],
    by: 'its route',
  },
  mcp: NOT_FOR_AGENTS,
  run: async ({ context, repository, signal }, { run }) => {
    const repositoryRoot = (await findRepository(context, repository))?.root ?? null;
    const opened = await reopenRun(context, run, { repositoryRoot, signal });
    return summarizeBatch(await runBatch(context, { ...opened, stop: signal }));
  },
});
