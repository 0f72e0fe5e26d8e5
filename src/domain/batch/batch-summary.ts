import { z } from 'zod';
import { BatchRunSchema } from './batch-run.js';

/** A batch in a list: without its attempts, which may be thousands. */
export const BatchSummarySchema = BatchRunSchema.omit({ attempts: true, labels: true, taskIds: true })
  .extend({
    planned: z.int().describe('attempts that were requested'),
    done: z.int().describe('attempts with an outcome'),
  })
  .meta({ id: 'batch-summary', title: 'Batch run, in short' });
export type BatchSummary = Readonly<z.infer<typeof BatchSummarySchema>>;
