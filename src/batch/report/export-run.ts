import type { BatchRun } from '../../domain/batch/batch-run.js';
import { writeHtml } from './html/write-html.js';
import { inOrder } from './order-attempts.js';
import type { Write } from './text-writer.js';
import { writeCsv } from './write-csv.js';
import { writeJunit } from './write-junit.js';
import { writePredictions } from './write-predictions.js';

/** The formats that a batch can be exported to. */
export type ExportFormat = 'jsonl' | 'junit' | 'csv' | 'predictions' | 'html';

/**
 * A run in a format that other tools read, piece by piece. What the format cannot represent is returned as
 * warnings, for human readers. Patches and logs are read only from the run's directory.
 */
export function exportRun(run: BatchRun, format: ExportFormat, write: Write): Promise<readonly string[]> {
  return WRITERS[format](run, write);
}

const WRITERS: Readonly<Record<ExportFormat, (run: BatchRun, write: Write) => Promise<readonly string[]>>> = {
  jsonl: writeJsonLines,
  junit: writeJunit,
  csv: writeCsv,
  predictions: writePredictions,
  html: writeHtml,
};

/** One attempt per line, as in index.jsonl, in the order of the plan. */
async function writeJsonLines(run: BatchRun, write: Write): Promise<readonly string[]> {
  for (const attempt of inOrder(run)) await write(`${JSON.stringify(attempt)}\n`);
  return [];
}
