import type { EvalAgent } from '../../../batch/eval-agent.js';

const LONGEST_NAME = 80;

/**
 * The model host whose rate limit an agent meets, the same on every machine: the first of its hosts, or the agent itself
 * when none is known. An agent that can use several hosts slows all jobs of its first one. Undefined for agents without
 * a model.
 */
export function providerOf({ name, needs, source }: EvalAgent): string | undefined {
  if (source?.kind !== 'program') return undefined;
  return (needs.hosts[0] ?? `agent ${name}`).slice(0, LONGEST_NAME);
}
