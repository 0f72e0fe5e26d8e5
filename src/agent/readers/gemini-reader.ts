import { NO_USAGE } from '../../domain/agent/add-usage.js';
import type { Usage } from '../../domain/agent/usage.js';
import type { AgentProblem, ResultReader } from '../result-reader.js';
import { createEventReader, type ReaderState } from '../stream/event-reader.js';
import { describeHostMessage, withRetryLines } from '../stream/host-message.js';
import { describeHttpProblem } from '../stream/http-problem.js';
import {
  type JsonObject,
  numberAt,
  objectAt,
  objectsAt,
  parseObject,
  textAt,
  tokensAt,
} from '../stream/json-value.js';
import { boundActivity, boundMessage } from '../stream/shown-text.js';

/** Reads `--output-format stream-json`. It reports tokens only at the end, and never its cost. */
export function createGeminiReader(): ResultReader {
  const state: State = { usage: NO_USAGE, words: '' };
  return withRetryLines({
    ...createEventReader(state, takeEvent),
    readExit: exitCode => {
      state.problem = readExitStatus(exitCode, state.problem);
    },
    message: () => boundMessage(state.words),
  });
}

interface State extends ReaderState {
  /** Its text since the last tool use; it arrives in pieces. */
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

/** Thinking tokens are only in the total. Input tokens include cached ones. */
function readUsage(stats: JsonObject | undefined): Usage {
  const inputTokens = tokensAt(stats, 'input_tokens');
  const written = tokensAt(stats, 'output_tokens');
  const outputTokens = Math.max(written, tokensAt(stats, 'total_tokens') - inputTokens);
  return { inputTokens, outputTokens, costUsd: null };
}

/** `[API Error: {"error":{...}}]` with the response of the host, or only its message. */
function describeError(error: JsonObject | undefined): AgentProblem {
  const message = textAt(error, 'message') ?? 'an error';
  const answer = objectAt(
    parseObject(message.slice(message.indexOf('{'), message.lastIndexOf('}') + 1)),
    'error',
  );
  const text = boundActivity(textAt(answer, 'message') ?? message) ?? 'an error';
  const details = objectsAt(answer, 'details');
  // The response of its host to an unknown key, with status 400.
  if (details.some(({ reason }) => reason === 'API_KEY_INVALID')) return { kind: 'key-missing', text };
  const status = numberAt(answer, 'code');
  return status === undefined
    ? { ...describeHostMessage(message), text }
    : describeHttpProblem(status, text, readDelay(details));
}

/** `"retryDelay": "34.07s"` of google.rpc.RetryInfo. */
function readDelay(details: readonly JsonObject[]): number | undefined {
  const delay = details.map(detail => textAt(detail, 'retryDelay')).find(text => text !== undefined);
  const seconds = Number.parseFloat(delay ?? '');
  return Number.isNaN(seconds) ? undefined : Math.ceil(seconds * 1000);
}

/**
 * It exits with the HTTP status that it gave up for, of which the system keeps the last eight bits: 429 is 173. Used where
 * the result has no status, as after many attempts.
 */
function readExitStatus(exitCode: number, problem: AgentProblem | undefined): AgentProblem | undefined {
  // Documented: 41 is a missing login, 53 the maximum number of turns.
  if (exitCode === 41) return { kind: 'key-missing', text: 'no login method is configured' };
  if (exitCode === 53) return { kind: 'limit', text: 'the maximum number of turns in its own settings' };
  if (problem?.kind !== 'agent-failed') return problem;
  const status = [401, 403, 429, 500, 502, 503, 504].find(each => each % 256 === exitCode);
  return status === undefined ? problem : describeHttpProblem(status, problem.text);
}
