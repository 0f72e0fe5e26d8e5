import { NO_USAGE } from '../../domain/add-usage.js';
import { createEventReader, type ReaderState } from '../readers/event-reader.js';
import { describeHttpProblem } from '../readers/http-problem.js';
import { type JsonObject, numberAt, objectAt, textAt, tokensAt } from '../readers/json-value.js';
import { boundActivity } from '../readers/shown-text.js';
import type { AgentProblem, ResultReader } from '../result-reader.js';

/**
 * Reads `--output-format json`. Of its usage it prints the tokens that were written, and those only when GitHub runs the
 * model; the tokens read and the cost in money are told nowhere.
 */
export function createCopilotReader(): ResultReader {
  const state: State = { usage: NO_USAGE, isBegun: false };
  return {
    ...createEventReader(state, takeEvent),
    readErrorLine: line => takeErrorLine(state, line),
  };
}

interface State extends ReaderState {
  isBegun: boolean;
}

function takeEvent(state: State, event: JsonObject): void {
  state.isBegun = true;
  const data = objectAt(event, 'data');
  switch (event.type) {
    case 'assistant.message':
      takeMessage(state, data);
      break;
    case 'tool.execution_start':
      state.activity = describeTool(data) ?? state.activity;
      break;
    case 'assistant.turn_retry':
      state.activity = `asks its model again (${textAt(data, 'reason') ?? 'an error'})`;
      break;
    case 'session.error':
      state.problem = describeError(data);
      break;
    case 'result':
      // It has got over what went wrong before.
      if (event.exitCode === 0) state.problem = undefined;
      break;
  }
}

function takeMessage(state: State, data: JsonObject | undefined): void {
  const outputTokens = state.usage.outputTokens + tokensAt(data, 'outputTokens');
  state.usage = { ...state.usage, outputTokens };
  const words = textAt(data, 'content') || undefined;
  state.message = words ?? state.message;
  state.activity = boundActivity(words ?? '') ?? state.activity;
}

function describeTool(data: JsonObject | undefined): string | undefined {
  const name = textAt(data, 'toolName') ?? '';
  const input = objectAt(data, 'arguments');
  const subject = textAt(input, 'command') ?? textAt(input, 'path');
  return boundActivity(subject === undefined ? name : `${name}: ${subject}`);
}

function describeError(data: JsonObject | undefined): AgentProblem {
  const text = boundActivity(textAt(data, 'message') ?? '') ?? 'an error';
  // What is paid for is used up, which asking again does not change.
  if (data?.errorType === 'quota') return { kind: 'limit', text };
  return describeHttpProblem(numberAt(data, 'statusCode'), text);
}

/** Without a token it prints this, no event at all, and exits with the status 1, as it does for much else. */
function takeErrorLine(state: State, line: string): void {
  if (state.isBegun || !line.startsWith('Error: No authentication information found')) return;
  state.problem = { kind: 'key-missing', text: 'it is not signed in, and no token is set' };
}
