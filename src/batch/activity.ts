import type { AgentRequest } from './eval-agent.js';

type AgentLine = Parameters<AgentRequest['onLine']>;

/** What of an agent's output tells people what it does. */
export function createActivityFilter(): (...line: AgentLine) => string | undefined {
  let isTalkative = false;
  return (stream, text) => {
    isTalkative ||= stream === 'activity';
    const isNews = isTalkative ? stream === 'activity' : text.trim() !== '' && !isForPrograms(text);
    return isNews ? text : undefined;
  };
}

/** Agents that tell by lines of JSON begin with some before they do anything. */
const isForPrograms = (text: string): boolean => text.startsWith('{');
