import { z } from '@hono/zod-openapi';
import type { AcceptedRisks } from '../domain/risk.js';

export const idParameter = (description: string) => z.object({ id: z.string().min(1).describe(description) });

export const repositoryQuery = z.object({
  repository: z.string().min(1).optional().describe('a directory in the repository; under the allow-list'),
});

/** `?flag`, `?flag=true` and `?flag=false`. */
const flag = (description: string) =>
  z.enum(['true', 'false', '']).optional().openapi({ type: 'boolean', description });

export const isSet = (value: 'true' | 'false' | '' | undefined): boolean => value === 'true' || value === '';

/** The same words as on the command line, without the dashes before them. */
export const removalQuery = z.object({
  'discard-changes': flag('give up uncommitted changes; a snapshot holds them'),
  'discard-commits': flag('give up commits that are on no other branch; a snapshot holds them'),
  'stop-processes': flag('end what runs in it'),
  'break-lease': flag('although somebody has leased it'),
});

export const readAccepted = (query: z.infer<typeof removalQuery>): AcceptedRisks => ({
  discardChanges: isSet(query['discard-changes']),
  discardCommits: isSet(query['discard-commits']),
  stopProcesses: isSet(query['stop-processes']),
  breakLease: isSet(query['break-lease']),
});

export const detailsQuery = z.object({
  details: z
    .enum(['true', 'false'])
    .optional()
    .describe(
      'false leaves out the look at the files, which takes time where there are many: such parts are null',
    ),
});
