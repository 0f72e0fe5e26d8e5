import type { Usage } from './usage.js';

// Apart from usage.ts so that counting does not load zod.

export const NO_USAGE: Usage = { inputTokens: 0, outputTokens: 0, costUsd: null };

/** A cost that is not known leaves the other's as it is. */
export function addUsage(a: Usage, b: Usage): Usage {
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    costUsd: a.costUsd === null && b.costUsd === null ? null : (a.costUsd ?? 0) + (b.costUsd ?? 0),
  };
}
