import { z } from 'zod';
import { requestObject } from '../../domain/api/request-object.js';
import { type RunExport, RunExportSchema } from '../../domain/batch/eval-report.js';
import { defineOperation } from '../../operations/operation.js';
import { findRun } from '../record/find-run.js';
import { NOT_FOR_AGENTS, runField } from '../record/run-field.js';
import { readRun } from '../record/run-store.js';
import { exportRun } from './export-run.js';

const input = requestObject({
  run: runField,
  format: z.enum(['jsonl', 'junit', 'html', 'predictions', 'csv']).describe('the format'),
});
export type ExportBatchRequest = z.input<typeof input>;
export type ExportBatchAnswer = RunExport;

export const exportBatchOperation = defineOperation({
  noun: 'batch',
  verb: 'export',
  summary: 'Export a batch run for other tools',
  input,
  output: RunExportSchema,
  subject: 'run',
  effects: 'reads',
  commandLine: {
    command: 'eval export',
    group: 'Evaluate agents',
    arguments: ['run'],
    options: { format: { value: 'format' } },
    prints: { by: 'its command' },
  },
  http: {
    not: 'the report of a run is at /api/batches/{run}/report, and its data in the response of the run',
  },
  mcp: NOT_FOR_AGENTS,
  run: async ({ context }, { run, format }) => {
    const pieces: string[] = [];
    const found = await readRun(await findRun(context, run));
    const warnings = await exportRun(found, format, piece => void pieces.push(piece));
    return { format, file: null, text: pieces.join(''), warnings: [...warnings] };
  },
});
