import type { EvalAgent } from '../../batch/eval-agent.js';
import { providerOf } from './agent/provider-of.js';

/** The rate limits of model hosts, which all machines of a fleet share. */
export interface ProviderLimits {
  /** Returns when the provider may be used: at once, unless a machine was refused by it. */
  whenFree(provider: string, signal: AbortSignal): Promise<void>;
  /** An agent was refused. The host may have said for how long. */
  refused(provider: string, forMs: number | undefined): Promise<void>;
}

interface Fence {
  /** Throws when the claim is lost. */
  readonly requireOurs: () => void;
  readonly limits?: ProviderLimits | undefined;
}

/** An agent that starts only for a claim that is held, and when its model's host may be used. */
export const fenceAgent = (agent: EvalAgent, { requireOurs, limits }: Fence): EvalAgent => ({
  ...agent,
  attempt: async request => {
    const provider = limits && providerOf(agent);
    const before = performance.now();
    if (provider !== undefined) await limits?.whenFree(provider, request.signal);
    requireOurs();
    // Waiting is not part of the agent's time.
    const waitedMs = Math.round(performance.now() - before);
    const result = await agent.attempt({ ...request, deadline: request.deadline + waitedMs });
    if (provider !== undefined && result.problem?.kind === 'rate-limited')
      await limits?.refused(provider, result.problem.retryAfterMs);
    return result;
  },
});
