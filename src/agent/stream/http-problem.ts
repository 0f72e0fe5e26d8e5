import type { AgentProblem } from '../result-reader.js';

/** The meaning of an HTTP status with which a model's host refused. */
export function describeHttpProblem(
  status: number | undefined,
  text: string,
  retryAfterMs?: number,
): AgentProblem {
  if (status === 401 || status === 403) return { kind: 'key-missing', text };
  // 529: the host is overloaded, which passes like a rate limit.
  if (status === 429 || status === 529) return { kind: 'rate-limited', text, retryAfterMs };
  return { kind: status !== undefined && status >= 500 ? 'host-failed' : 'agent-failed', text };
}
