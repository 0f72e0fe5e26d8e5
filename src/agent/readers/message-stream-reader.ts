import { NO_USAGE } from '../../domain/agent/add-usage.js';
import type { Usage } from '../../domain/agent/usage.js';
import type { AgentProblem, ResultReader } from '../result-reader.js';
import { createEventReader, type ReaderState } from '../stream/event-reader.js';
import { type JsonObject, objectAt, objectsAt, textAt, tokensAt } from '../stream/json-value.js';
import { boundActivity } from '../stream/shown-text.js';

/** The differences between programs that print Claude Code's stream-json format. */
export interface MessageStream {
  /** Input tokens, from the `usage` of a message or of the result. */
  countInput(usage: JsonObject): number;
  /** By the last line, whose `type` is `result`. */
  findProblem(result: JsonObject, story: OutputBeforeResult): AgentProblem | undefined;
}

/** The output before the result. */
export interface OutputBeforeResult {
  /** Whether there was a first line that describes the session. */
  readonly isBegun: boolean;
  /** The output tokens of the last message. */
  readonly lastOutputTokens: number;
}

/** One object per line: `system`, then a message of the `assistant` or the `user` each, and a `result` as the last. */
export function createMessageStreamReader(stream: MessageStream): ResultReader {
  const state: State = { usage: NO_USAGE, isBegun: false, lastOutputTokens: 0 };
  return createEventReader(state, (known, event) => takeEvent(stream, known, event));
}

interface State extends OutputBeforeResult, ReaderState {
  isBegun: boolean;
  lastOutputTokens: number;
}

function takeEvent(stream: MessageStream, state: State, event: JsonObject): void {
  switch (event.type) {
    case 'system':
      state.isBegun = true;
      break;
    case 'assistant':
      takeMessage(stream, state, objectAt(event, 'message'));
      break;
    case 'result':
      takeResult(stream, state, event);
      break;
  }
}

function takeMessage(stream: MessageStream, state: State, message: JsonObject | undefined): void {
  const used = readUsage(stream, objectAt(message, 'usage'));
  state.lastOutputTokens = used?.outputTokens ?? 0;
  if (used) {
    const inputTokens = state.usage.inputTokens + used.inputTokens;
    state.usage = { ...state.usage, inputTokens, outputTokens: state.usage.outputTokens + used.outputTokens };
  }
  for (const block of objectsAt(message, 'content')) {
    state.message = textAt(block, 'text') ?? state.message;
    state.activity = describeBlock(block) ?? state.activity;
  }
}

function describeBlock(block: JsonObject): string | undefined {
  const name = textAt(block, 'name');
  if (name === undefined) return boundActivity(textAt(block, 'text') ?? '');
  const input = objectAt(block, 'input');
  const subject = textAt(input, 'command') ?? textAt(input, 'cmd') ?? textAt(input, 'file_path');
  return boundActivity(subject === undefined ? name : `${name}: ${subject}`);
}

function takeResult(stream: MessageStream, state: State, event: JsonObject): void {
  state.usage = readUsage(stream, objectAt(event, 'usage')) ?? state.usage;
  state.problem = stream.findProblem(event, state);
  if (!state.problem) state.message = textAt(event, 'result') ?? state.message;
}

const readUsage = (stream: MessageStream, usage: JsonObject | undefined): Usage | undefined =>
  usage && {
    inputTokens: stream.countInput(usage),
    outputTokens: tokensAt(usage, 'output_tokens'),
    costUsd: null,
  };
