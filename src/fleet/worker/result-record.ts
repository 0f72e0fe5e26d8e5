import { z } from 'zod';
import { BlobHashSchema } from '../../domain/fleet/blob-hash.js';

/** What the engine records for a claim: enough to find the manifest of its result, and to know whether it is needed. */
export const ResultRecordSchema = z.strictObject({
  claim: z.string(),
  manifest: BlobHashSchema,
  identity: z.string(),
  startedAt: z.iso.datetime(),
  part: z.literal('grade').optional().describe('the grading of work that another host did'),
});
export type ResultRecord = Readonly<z.infer<typeof ResultRecordSchema>>;
