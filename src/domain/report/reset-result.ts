import { z } from 'zod';
import { OmittedFileSchema } from '../snapshot/snapshot.js';

export const ResetResultSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    path: z.string(),
    branch: z.string().nullable().describe('the branch that is checked out; null without one'),
    commit: z.string().nullable().describe('the base commit; null for a plain copy'),
    snapshot: z.string().describe('the snapshot with everything that was there, for `carrel restore`'),
    omitted: z
      .array(OmittedFileSchema)
      .describe('deleted files that are not in the snapshot, so `carrel restore` does not restore them'),
    stopped: z.array(z.int()).describe('processes that were stopped'),
    warnings: z.array(z.string()),
    repositories: z
      .array(
        z.object({
          alias: z.string(),
          id: z.string(),
          path: z.string(),
          commit: z.string().nullable(),
          snapshot: z.string(),
        }),
      )
      .optional()
      .describe(
        'in a workspace with several repositories: what was done in each; the first is the one above',
      ),
  })
  .meta({ id: 'reset', title: 'What `carrel reset` did' });
/** What resetting a workspace did, and the snapshot with what was there. */
export type ResetResult = z.infer<typeof ResetResultSchema>;
