import { NO_USAGE } from '../../domain/add-usage.js';
import type { Usage } from '../../domain/usage.js';
import { createEventReader, type ReaderState } from '../readers/event-reader.js';
import { describeHttpProblem } from '../readers/http-problem.js';
import {
  type JsonObject,
  numberAt,
  objectAt,
  objectsAt,
  parseObject,
  textAt,
  tokensAt,
} from '../readers/json-value.js';
import { boundActivity, boundMessage } from '../readers/shown-text.js';
import type { AgentProblem, ResultReader } from '../result-reader.js';

/** Reads `--output-format stream-json`. It tells what was used only once it is done, and never what that cost. */
export function createGeminiReader(): ResultReader {
  const state: State = { usage: NO_USAGE, words: '' };
  return {
    ...createEventReader(state, takeEvent),
    readExit: exitCode => {
      state.problem = readExitStatus(exitCode, state.problem);
    },
    message: () => boundMessage(state.words),
  };
}

interface State extends ReaderState {
  /** What it has said since its last use of a tool; it comes in pieces. */
  words: string;
}

function takeEvent(state: State, event: JsonObject): void {
  switch (event.type) {
    case 'message':
      if (event.role === 'assistant') takeWords(state, textAt(event, 'content') ?? '');
      break;
    case 'tool_use':
      state.words = '';
      state.activity = describeTool(event) ?? state.activity;
      break;
    case 'result':
      state.usage = readUsage(objectAt(event, 'stats'));
      if (event.status === 'error') state.problem = describeError(objectAt(event, 'error'));
      break;
  }
}

const MOST_WORDS = 64 * 1024;

function takeWords(state: State, piece: string): void {
  state.words = (state.words + piece).slice(-MOST_WORDS);
  state.activity = boundActivity(state.words) ?? state.activity;
}

function describeTool(event: JsonObject): string | undefined {
  const name = textAt(event, 'tool_name') ?? '';
  const input = objectAt(event, 'parameters');
  const subject = textAt(input, 'command') ?? textAt(input, 'file_path');
  return boundActivity(subject === undefined ? name : `${name}: ${subject}`);
}

/** Tokens of thinking are in the total alone. Those from a cache are among the tokens read. */
function readUsage(stats: JsonObject | undefined): Usage {
  const inputTokens = tokensAt(stats, 'input_tokens');
  const written = tokensAt(stats, 'output_tokens');
  const outputTokens = Math.max(written, tokensAt(stats, 'total_tokens') - inputTokens);
  return { inputTokens, outputTokens, costUsd: null };
}

/** `[API Error: {"error":{...}}]` with what the host has answered, or with its message alone. */
function describeError(error: JsonObject | undefined): AgentProblem {
  const message = textAt(error, 'message') ?? 'an error';
  const answer = objectAt(
    parseObject(message.slice(message.indexOf('{'), message.lastIndexOf('}') + 1)),
    'error',
  );
  const text = boundActivity(textAt(answer, 'message') ?? message) ?? 'an error';
  const details = objectsAt(answer, 'details');
  // What its host answers to a key that it does not know, with the status 400.
  if (details.some(({ reason }) => reason === 'API_KEY_INVALID')) return { kind: 'key-missing', text };
  return describeHttpProblem(numberAt(answer, 'code'), text, readDelay(details));
}

/** `"retryDelay": "34.07s"` of google.rpc.RetryInfo. */
function readDelay(details: readonly JsonObject[]): number | undefined {
  const delay = details.map(detail => textAt(detail, 'retryDelay')).find(text => text !== undefined);
  const seconds = Number.parseFloat(delay ?? '');
  return Number.isNaN(seconds) ? undefined : Math.ceil(seconds * 1000);
}

/**
 * The status of HTTP that it gave up for is its exit status, of which the system keeps the last eight bits: 429 is 173.
 * It stands in where the result does not tell, as after many attempts.
 */
function readExitStatus(exitCode: number, told: AgentProblem | undefined): AgentProblem | undefined {
  // Documented: 41 is no way to sign in, 53 the most turns of a session.
  if (exitCode === 41) return { kind: 'key-missing', text: 'no way to sign in is set' };
  if (exitCode === 53) return { kind: 'limit', text: 'the most turns of its own settings' };
  if (told?.kind !== 'agent-failed') return told;
  const status = [401, 403, 429].find(each => each % 256 === exitCode);
  return status === undefined ? told : describeHttpProblem(status, told.text);
}
