import type { AgentProblem } from '../../agent/result-reader.js';
import type { Usage } from '../../domain/usage.js';
import type { AgentRequest } from '../eval-agent.js';

export interface UsageWatch {
  /** Aborted by the caller's signal, and when a limit of the task is reached. */
  readonly signal: AbortSignal;
  report(usage: Usage): void;
  /** The limit that was reached. */
  problem(): AgentProblem | undefined;
}

/** Tells what an agent uses, and ends it where its task has a limit. The batch's own limit comes by the request's signal. */
export function watchUsage({ item, signal, onUsage }: AgentRequest): UsageWatch {
  const over = new AbortController();
  let problem: AgentProblem | undefined;
  return {
    signal: AbortSignal.any([signal, over.signal]),
    report: usage => {
      onUsage(usage);
      const text = findExceeded(usage, item.limits ?? {});
      if (text === undefined || problem) return;
      problem = { kind: 'limit', text };
      over.abort(new Error(text));
    },
    problem: () => problem,
  };
}

function findExceeded(
  { inputTokens, outputTokens, costUsd }: Usage,
  limits: NonNullable<AgentRequest['item']['limits']>,
): string | undefined {
  const tokens = inputTokens + outputTokens;
  if (limits.tokens !== undefined && tokens > limits.tokens)
    return `it has used ${tokens} tokens; the task allows ${limits.tokens}`;
  if (limits.costUsd !== undefined && costUsd !== null && costUsd > limits.costUsd)
    return `it has used ${costUsd.toFixed(2)} US dollars; the task allows ${limits.costUsd}`;
  return undefined;
}
