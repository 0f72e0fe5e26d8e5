import { z } from 'zod';

/** A file that runs something automatically; autorun-files.ts has the table. */
export const AutorunFileSchema = z.object({
  path: z.string(),
  runs: z.string().describe('what runs it, and when'),
});
export type AutorunFile = z.infer<typeof AutorunFileSchema>;
