import { z } from 'zod';
import { requestObject } from '../../domain/api/request-object.js';
import { type GcReport, GcReportSchema } from '../../domain/report/result.js';
import { defineOperation } from '../../operations/operation.js';
import { collectAllGarbage } from './expire-tasks.js';

const input = requestObject({
  olderThanSeconds: z
    .number()
    .min(0)
    .optional()
    .describe('only workspaces not used for this long (default: workspace.cleanupDays)'),
  all: z.boolean().optional().describe('include all repositories'),
  execute: z.boolean().optional().describe('remove them; without this, only show the plan'),
  trustClock: z
    .boolean()
    .optional()
    .describe('trust the clock even if the newest recorded event is far from the current time'),
});
export type CollectGarbageRequest = z.input<typeof input>;
export type CollectGarbageAnswer = GcReport;

export const collectGarbageOperation = defineOperation({
  noun: 'garbage',
  verb: 'collect',
  call: 'gc',
  summary: 'List what is no longer needed; with --yes, remove it',
  input,
  output: GcReportSchema,
  effects: 'removes',
  commandLine: {
    command: 'gc',
    group: 'Clean up',
    arguments: [],
    options: { execute: { flag: 'yes' } },
    without: { olderThanSeconds: '--older-than, which `worktrees cleanup` has with a default' },
    prints: { by: 'its command' },
  },
  http: {
    not: 'a request removes one workspace, with its risks; `worktrees cleanup --server` does it for all',
  },
  mcp: { not: 'an agent removes its own workspaces, with workspace_remove' },
  run: ({ context, repository, signal }, { olderThanSeconds, execute = false, ...options }) =>
    collectAllGarbage(context, {
      ...options,
      repository,
      execute,
      olderThanMs: olderThanSeconds === undefined ? undefined : Math.round(olderThanSeconds * 1000),
      signal,
    }),
});
