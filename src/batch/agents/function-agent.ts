import type { Context } from '../../operations/context.js';
import type { AgentFunction } from '../../tools/agent-function.js';
import type { EvalAgent } from '../eval-agent.js';
import { fingerprintOf } from './fingerprint.js';
import { callAgent } from './module-agent.js';

/** An agent that is a function of the very program that runs the batch. */
export function createFunctionAgent(
  context: Pick<Context, 'now'>,
  agent: AgentFunction,
  model: string | undefined,
): EvalAgent {
  return {
    // No agent can be called so: a run of it is not resumed with another that happens to have the function's name.
    name: `function:${/^\w+$/.test(agent.name) ? agent.name : 'anonymous'}`,
    // Of its own text; what it calls is not followed.
    fingerprint: fingerprintOf({ function: agent.toString(), model }),
    version: null,
    needs: { hosts: [], variables: [] },
    attempt: request => callAgent(context, request, { agent, model }),
  };
}
