import { createToolsOn } from '../../tools/create-tools.js';
import type { Tool, Tools } from '../../tools/tool.js';
import { agentVariables } from '../agent-program/agent-variables.js';
import type { AgentRequest } from '../eval-agent.js';
import { createToolEnvironment } from './environment-access.js';

export interface AgentToolbox {
  readonly tools: Tools;
  /** Resolves when no tool is running. */
  idle(): Promise<unknown>;
}

/** The tools of a function in the workspace of an attempt; each call is reported as agent activity. */
export function openAgentTools(
  request: AgentRequest,
  { signal, model }: { signal: AbortSignal; model: string | undefined },
): AgentToolbox {
  const environment = createToolEnvironment(request.environment, {
    variables: agentVariables(request, model),
    signal,
  });
  const under = new Set<Promise<unknown>>();
  const follow = (tool: Tool): Tool => ({
    ...tool,
    run: input => {
      request.onLine('activity', describeUse(tool.name, input));
      const work = tool.run(input);
      const settled = work.catch(() => undefined).finally(() => under.delete(settled));
      under.add(settled);
      return work;
    },
  });
  const tools = createToolsOn(environment, { signal });
  return {
    tools: Object.fromEntries(Object.entries(tools).map(([name, tool]) => [name, follow(tool)])) as Tools,
    idle: async () => {
      await Promise.all(under);
      await environment.idle();
    },
  };
}

const MOST_CHARACTERS = 200;

/** `bash: npm test`: the first text of the input says most. */
function describeUse(name: string, input: unknown): string {
  const texts = Object.values(input ?? {}).filter(value => typeof value === 'string');
  return `${name}: ${texts[0] ?? ''}`.split('\n', 1).join('').slice(0, MOST_CHARACTERS);
}
