import { z } from 'zod';
import { AttemptSchema } from '../batch/attempt.js';
import { BlobHashSchema } from './blob-hash.js';

/** Larger files of an attempt do not travel. */
export const MOST_RESULT_BYTES = 64 * 1024 ** 2;
export const MOST_RESULT_FILES = 64;

/** In the directory of an attempt: plain names, at most three levels deep, and never the record itself. */
const ResultPathSchema = z
  .string()
  .max(200)
  .regex(
    /^(?!attempt\.json$)(?!.*(^|\/)\.{1,2}(\/|$))[A-Za-z0-9._-]+(\/[A-Za-z0-9._-]+){0,2}$/,
    'a relative path of plain names',
  );

/** What came of a claim: the record of the attempt, and its files by hash. */
export const ResultManifestSchema = z.strictObject({
  claim: z.string().regex(/^[A-Za-z0-9._-]{1,120}$/),
  attempt: AttemptSchema.strict(),
  files: z
    .array(
      z.strictObject({
        path: ResultPathSchema,
        size: z.int().min(0).max(MOST_RESULT_BYTES),
        hash: BlobHashSchema,
      }),
    )
    .max(MOST_RESULT_FILES),
  dropped: z.array(z.string().max(400)).describe('files that were too large, too many or no files'),
});
export type ResultManifest = Readonly<z.infer<typeof ResultManifestSchema>>;
