import type { Usage } from '../../domain/agent/usage.js';
import type { AgentProblem, ResultReader } from '../result-reader.js';
import { type JsonObject, parseObject } from './json-value.js';
import { boundMessage } from './shown-text.js';

/** What the output has shown so far. */
export interface ReaderState {
  usage: Usage;
  activity?: string | undefined;
  message?: string | undefined;
  problem?: AgentProblem | undefined;
  /** See `ResultReader`. */
  waitsFor?: AgentProblem | undefined;
}

/** For a program that prints one JSON object per line, each of which updates the state; other lines are ignored. */
export function createEventReader<State extends ReaderState>(
  state: State,
  takeEvent: (state: State, event: JsonObject) => void,
): ResultReader {
  return {
    readLine: line => {
      const event = parseObject(line);
      if (event) takeEvent(state, event);
    },
    readErrorLine: () => undefined,
    usage: () => state.usage,
    activity: () => state.activity,
    message: () => boundMessage(state.message),
    problem: () => state.problem,
    waitsFor: () => state.waitsFor,
  };
}
