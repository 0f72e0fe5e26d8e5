import { z } from 'zod';
import { AttemptSchema } from './attempt.js';
import { BatchRunSchema } from './batch-run.js';

/** What `eval ls` tells. */
export const BatchRunsSchema = z
  .array(BatchRunSchema)
  .meta({ id: 'batch-runs', title: 'Batch runs, newest first' });

/** What `eval show --task` tells. */
export const AttemptsSchema = z
  .array(AttemptSchema)
  .meta({ id: 'attempts', title: 'Attempts of one task of a batch run' });

const CheckedItemSchema = z.object({
  id: z.string(),
  verdict: z
    .enum(['sound', 'broken', 'flaky', 'too-easy', 'unsolved', 'unable'])
    .describe(
      'broken: its reference solution never passes; flaky: not every time; too-easy: doing nothing passes; ' +
        'unsolved: it has no reference solution; unable: it can not run here',
    ),
  reason: z.string().nullable().describe('why it is not sound'),
});
export type CheckedItem = Readonly<z.infer<typeof CheckedItemSchema>>;

/** What `eval check` tells. */
export const EvalCheckSchema = z
  .array(CheckedItemSchema)
  .meta({ id: 'eval-check', title: 'Whether the tasks of a data set judge what they should' });

/** What `eval datasets` tells. */
export const DatasetReportSchema = z
  .object({
    name: z.string(),
    format: z.enum(['golden', 'carrel', 'swe-bench', 'harbor', 'terminal-bench']),
    tasks: z.array(
      z.object({
        id: z.string(),
        description: z.string(),
        language: z.string().nullable(),
        difficulty: z.string().nullable(),
        tags: z.array(z.string()),
      }),
    ),
    broken: z
      .array(z.object({ id: z.string(), reason: z.string() }))
      .describe('items that can not be used, and why'),
  })
  .meta({ id: 'dataset-report', title: 'Tasks of a data set' });
export type DatasetReport = Readonly<z.infer<typeof DatasetReportSchema>>;

/** What `eval export` tells with --json. */
export const RunExportSchema = z
  .object({
    format: z.enum(['jsonl', 'junit', 'html', 'predictions', 'csv']),
    file: z.string().nullable().describe('where it was written to; null without --out'),
    text: z.string().nullable().describe('the export itself; null when it went to a file'),
    warnings: z.array(z.string()).describe('what could not be told in this format'),
  })
  .meta({ id: 'run-export', title: 'Export of a batch run' });
export type RunExport = Readonly<z.infer<typeof RunExportSchema>>;

/** What `eval rm` tells. */
export const RunRemovalSchema = z
  .object({
    id: z.string(),
    directory: z.string(),
    isDirectoryLeft: z.boolean().describe('true when something else is in it'),
    keptFiles: z.int().describe('attempts whose files had been kept'),
    freedBytes: z.int(),
  })
  .meta({ id: 'run-removal', title: 'What `carrel eval rm` did' });
export type RunRemoval = Readonly<z.infer<typeof RunRemovalSchema>>;
