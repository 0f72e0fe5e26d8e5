import type { BatchRun } from '../../domain/batch-run.js';
import { writeCsv } from './csv.js';
import { writeHtml } from './html/write-html.js';
import { writeJsonLines } from './json-lines.js';
import { writeJunit } from './junit.js';
import { writePredictions } from './predictions.js';
import type { Write } from './write.js';

export type ExportFormat = 'jsonl' | 'junit' | 'csv' | 'predictions' | 'html';

/**
 * A run in a format that other tools read, piece by piece. What could not be told in that format comes back as
 * warnings, for people. Patches and logs are read from the run's directory, never from outside of it.
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
