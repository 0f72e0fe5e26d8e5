import { z } from 'zod';
import { requestObject } from '../../../domain/api/request-object.js';
import { defineOperation } from '../../../operations/operation.js';
import { findRun } from '../../record/find-run.js';
import { NOT_FOR_AGENTS, runField } from '../../record/run-field.js';
import { readRun } from '../../record/run-store.js';
import { exportRun } from '../export-run.js';

const input = requestObject({ run: runField });

export const reportBatchOperation = defineOperation({
  noun: 'batch',
  verb: 'report',
  summary: 'Show a batch run as one page',
  input,
  output: z.string(),
  subject: 'run',
  effects: 'reads',
  commandLine: { not: '`carrel eval export RUN --format html` writes it' },
  http: {
    method: 'get',
    path: '/api/batches/{run}/report',
    operationId: 'showBatchReport',
    answer: 'a self-contained page',
    problems: [404],
    text: 'text/html',
    by: 'its route',
  },
  mcp: NOT_FOR_AGENTS,
  run: async ({ context }, { run }) => {
    const pieces: string[] = [];
    await exportRun(await readRun(await findRun(context, run)), 'html', piece => void pieces.push(piece));
    return pieces.join('');
  },
});
