import { z } from 'zod';
import { AttemptSchema } from './attempt.js';
import { BatchRunSchema } from './batch-run.js';

/** The output of `eval ls`. */
export const BatchRunsSchema = z
  .array(BatchRunSchema)
  .meta({ id: 'batch-runs', title: 'Batch runs, newest first' });

/** The output of `eval show --task`. */
export const AttemptsSchema = z
  .array(AttemptSchema)
  .meta({ id: 'attempts', title: 'Attempts of one task of a batch run' });

const CheckedItemSchema = z.object({
  id: z.string(),
  verdict: z
    .enum(['sound', 'broken', 'flaky', 'too-easy', 'unsolved', 'unable'])
    .describe(
      'broken: its reference solution never passes; flaky: not every time; too-easy: doing nothing passes; ' +
        'unsolved: it has no reference solution; unable: it cannot run here',
    ),
  reason: z.string().nullable().describe('why it is not sound'),
});
/** The verdict of `batches.check` on one task of a dataset. */
export type CheckedItem = Readonly<z.infer<typeof CheckedItemSchema>>;

/** The output of `eval check`. */
export const EvalCheckSchema = z
  .array(CheckedItemSchema)
  .meta({ id: 'eval-check', title: 'Broken, flaky and trivially solved tasks of a dataset' });

/** The output of `eval datasets`. */
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
      .describe('items that cannot be used, and why'),
  })
  .meta({ id: 'dataset-report', title: 'Tasks of a dataset' });
/** The tasks of a dataset, without their graders. */
export type DatasetReport = Readonly<z.infer<typeof DatasetReportSchema>>;

/** The output of `eval export --json`. */
export const RunExportSchema = z
  .object({
    format: z.enum(['jsonl', 'junit', 'html', 'predictions', 'csv']),
    file: z.string().nullable().describe('the file it was written to; null without --out'),
    text: z.string().nullable().describe('the export itself; null when it went to a file'),
    warnings: z.array(z.string()).describe('what this format cannot express'),
  })
  .meta({ id: 'run-export', title: 'Export of a batch run' });
export type RunExport = Readonly<z.infer<typeof RunExportSchema>>;

/** The output of `eval rm`. */
export const RunRemovalSchema = z
  .object({
    id: z.string(),
    directory: z.string(),
    isDirectoryLeft: z.boolean().describe('true when it contains other files'),
    keptFiles: z.int().describe('attempts whose files were kept'),
    freedBytes: z.int(),
  })
  .meta({ id: 'run-removal', title: 'What `carrel eval rm` did' });
/** What removing a batch did, and how many bytes that freed. */
export type RunRemoval = Readonly<z.infer<typeof RunRemovalSchema>>;
