import { NO_USAGE } from '../../domain/agent/add-usage.js';
import type { AgentProblem, ResultReader } from '../result-reader.js';
import { createEventReader, type ReaderState } from '../stream/event-reader.js';
import { describeHostMessage } from '../stream/host-message.js';
import { describeHttpProblem } from '../stream/http-problem.js';
import { type JsonObject, numberAt, objectAt, textAt, tokensAt } from '../stream/json-value.js';
import { boundActivity } from '../stream/shown-text.js';

/**
 * Reads `--output-format json`. It reports only output tokens, and those only when GitHub runs the model; input tokens and
 * cost are never reported.
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
      state.waitsFor = { kind: 'host-failed', text: textAt(data, 'reason') ?? 'an error', ...findWait(data) };
      state.activity = `retries the model request (${textAt(data, 'reason') ?? 'an error'})`;
      break;
    case 'session.error':
      state.problem = describeError(data);
      break;
    case 'result':
      // Earlier problems are resolved.
      if (event.exitCode === 0) state.problem = undefined;
      break;
  }
}

/** More than the fact that it retries, where the reason is known. */
function findWait(data: JsonObject | undefined): AgentProblem | undefined {
  const problem = describeHostMessage(textAt(data, 'reason') ?? '');
  return problem.kind === 'agent-failed' ? undefined : problem;
}

function takeMessage(state: State, data: JsonObject | undefined): void {
  state.waitsFor = undefined;
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
  // The quota is used up, so a retry does not help.
  if (data?.errorType === 'quota') return { kind: 'limit', text };
  const status = numberAt(data, 'statusCode');
  return status === undefined
    ? describeHostMessage(textAt(data, 'message') ?? '')
    : describeHttpProblem(status, text, describeHostMessage(text).retryAfterMs);
}

/** Without a token it prints this and no event, and exits with status 1, like for many other failures. */
function takeErrorLine(state: State, line: string): void {
  if (state.isBegun || !line.startsWith('Error: No authentication information found')) return;
  state.problem = { kind: 'key-missing', text: 'it is not signed in, and no token is set' };
}
