import type { Usage } from './usage.js';

// Separate from usage.ts so that counting does not load zod.

export const NO_USAGE: Usage = { inputTokens: 0, outputTokens: 0, costUsd: null };

/** An unknown cost leaves the other one unchanged. */
export function addUsage(a: Usage, b: Usage): Usage {
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    costUsd: a.costUsd === null && b.costUsd === null ? null : (a.costUsd ?? 0) + (b.costUsd ?? 0),
  };
}
