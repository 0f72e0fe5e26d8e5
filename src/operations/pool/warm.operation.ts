import { z } from 'zod';
import { requestObject } from '../../domain/api/request-object.js';
import { type PoolWarming, PoolWarmingSchema } from '../../domain/workspace/pool-report.js';
import { defineOperation } from '../operation.js';
import { warmPool as warm } from './manage-pool.js';

const input = requestObject({
  count: z
    .int()
    .min(1)
    .optional()
    .describe('number of free workspaces (default: pool.size in the configuration)'),
  base: z
    .string()
    .optional()
    .describe("the commit, branch or tag to check out (default: the repository's HEAD)"),
  kind: z
    .enum(['checkout', 'overlay'])
    .optional()
    .describe('checkout, which `carrel up` uses, or overlay (default: the fastest on this machine)'),
});
export type WarmPoolRequest = z.input<typeof input>;
export type WarmRequest = WarmPoolRequest & { readonly repository?: string | undefined };
export type WarmPoolAnswer = PoolWarming;

export const warmPool = defineOperation({
  noun: 'pool',
  verb: 'warm',
  summary: 'Create warm workspaces until the requested number is free',
  input,
  output: PoolWarmingSchema,
  effects: 'changes',
  commandLine: {
    command: 'pool warm',
    group: 'Keep workspaces warm',
    arguments: ['count'],
    options: { base: { value: 'ref' }, kind: { value: 'kind' } },
    prints: { by: 'its command' },
  },
  http: {
    method: 'post',
    path: '/api/pool/warm',
    answer: 'the slots that are ready now',
    problems: [400, 404, 422, 503],
    body: { id: 'warm-request', title: 'How many workspaces to keep warm' },
  },
  mcp: { not: 'the user decides how much disk space later workspaces may use' },
  run: ({ context, repository, signal }, request) => warm(context, { ...request, repository, signal }),
});
