import { z } from '@hono/zod-openapi';
import type { AcceptedRisks } from '../../../domain/workspace/risk.js';

export const idParameter = (description: string) => z.object({ id: z.string().min(1).describe(description) });

/** `?flag`, `?flag=true` and `?flag=false`. */
export const queryFlag = (description: string) =>
  z.enum(['true', 'false', '']).optional().openapi({ type: 'boolean', description });

export const isSet = (value: 'true' | 'false' | '' | undefined): boolean => value === 'true' || value === '';

/** The same names as on the command line, without the leading dashes. */
export const removalQuery = z.object({
  'discard-changes': queryFlag('discard uncommitted changes; a snapshot keeps them'),
  'discard-commits': queryFlag('discard commits that are on no other branch; a snapshot keeps them'),
  'stop-processes': queryFlag('stop the processes that run in it'),
  'break-lease': queryFlag('remove it even if it is leased'),
});

export const readAccepted = (query: z.infer<typeof removalQuery>): AcceptedRisks => ({
  discardChanges: isSet(query['discard-changes']),
  discardCommits: isSet(query['discard-commits']),
  stopProcesses: isSet(query['stop-processes']),
  breakLease: isSet(query['break-lease']),
});
