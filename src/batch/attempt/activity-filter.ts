import type { AgentRequest } from '../eval-agent.js';

type AgentLine = Parameters<AgentRequest['onLine']>;

/** Picks the part of an agent's output that shows what it is doing. */
export function createActivityFilter(): (...line: AgentLine) => string | undefined {
  let isTalkative = false;
  return (stream, text) => {
    isTalkative ||= stream === 'activity';
    const isNews = isTalkative ? stream === 'activity' : text.trim() !== '' && !isForPrograms(text);
    return isNews ? text : undefined;
  };
}

/** Agents with JSON output print some lines before they do anything. */
const isForPrograms = (text: string): boolean => text.startsWith('{');
