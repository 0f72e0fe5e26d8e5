import type { AgentProblem } from '../result-reader.js';

/** What it means when a model's host has refused with an HTTP status. */
export function describeHttpProblem(
  status: number | undefined,
  text: string,
  retryAfterMs?: number,
): AgentProblem {
  if (status === 401 || status === 403) return { kind: 'key-missing', text };
  // 529: the host has too much to do, which passes like a limit of requests.
  if (status === 429 || status === 529) return { kind: 'rate-limited', text, retryAfterMs };
  return { kind: 'agent-failed', text };
}
