import { NO_USAGE } from '../../domain/agent/add-usage.js';
import type { Usage } from '../../domain/agent/usage.js';
import type { AgentProblem, ResultReader } from '../result-reader.js';
import { createEventReader, type ReaderState } from '../stream/event-reader.js';
import { describeHttpProblem } from '../stream/http-problem.js';
import { type JsonObject, numberAt, objectAt, objectsAt, textAt, tokensAt } from '../stream/json-value.js';
import { boundActivity } from '../stream/shown-text.js';

/** Reads `--output-format stream-json`: one object per line, a `result` as the last. */
export function createClaudeReader(): ResultReader {
  return createEventReader<State>({ usage: NO_USAGE, counted: [] }, takeEvent);
}

interface State extends ReaderState {
  /**
   * Ids of the latest messages: every block of a message is a separate event with the usage of the whole message, and
   * parallel subagents interleave.
   */
  counted: readonly (string | undefined)[];
  /** The error in a message that replaces the model's text. */
  error?: string | undefined;
  retryDelayMs?: number | undefined;
}

function takeEvent(state: State, event: JsonObject): void {
  switch (event.type) {
    case 'assistant':
      takeMessage(state, event);
      break;
    case 'system':
      if (event.subtype === 'api_retry') takeRetry(state, event);
      break;
    case 'result':
      takeResult(state, event);
      break;
  }
}

function takeMessage(state: State, event: JsonObject): void {
  const message = objectAt(event, 'message');
  const id = textAt(message, 'id');
  if (!state.counted.includes(id)) {
    state.usage = addTokens(state.usage, objectAt(message, 'usage'));
    state.counted = [...state.counted.slice(-MOST_COUNTED), id];
  }
  state.error = textAt(event, 'error');
  if (state.error === undefined) state.waitsFor = undefined;
  const block = objectsAt(message, 'content').at(-1);
  state.activity = describeBlock(block) ?? state.activity;
  // Used as the last message when it is killed early.
  state.message = textAt(block, 'text') ?? state.message;
}

const MOST_COUNTED = 32;

/** The output tokens are those at the start of the message, so only a few; the result corrects them. */
function addTokens(before: Usage, usage: JsonObject | undefined): Usage {
  return {
    inputTokens: before.inputTokens + INPUT_KEYS.reduce((sum, key) => sum + tokensAt(usage, key), 0),
    outputTokens: before.outputTokens + tokensAt(usage, 'output_tokens'),
    costUsd: before.costUsd,
  };
}

const INPUT_KEYS = ['input_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens'];
const MODEL_INPUT_KEYS = ['inputTokens', 'cacheReadInputTokens', 'cacheCreationInputTokens'];

function describeBlock(block: JsonObject | undefined): string | undefined {
  const name = textAt(block, 'name');
  if (name === undefined) return boundActivity(textAt(block, 'text') ?? '');
  const input = objectAt(block, 'input');
  const subject = textAt(input, 'command') ?? textAt(input, 'file_path') ?? textAt(input, 'description');
  return boundActivity(subject === undefined ? name : `${name}: ${subject}`);
}

function takeRetry(state: State, event: JsonObject): void {
  state.retryDelayMs = numberAt(event, 'retry_delay_ms');
  const status = numberAt(event, 'error_status');
  const count = `${numberAt(event, 'attempt')} of ${numberAt(event, 'max_retries')}`;
  const answer = status === undefined ? 'no answer' : `HTTP ${status}`;
  state.activity = `retries the model request (${answer}, ${count})`;
  // Without a status there was no response at all.
  state.waitsFor = describeHttpProblem(
    status ?? 503,
    `its model's host kept it waiting: ${answer}, try ${count}`,
  );
}

function takeResult(state: State, event: JsonObject): void {
  state.usage = readTotal(event) ?? state.usage;
  state.message = textAt(event, 'result') ?? state.message;
  if (event.is_error === true) state.problem = describeProblem(state, event);
}

/** By model, because `usage` alone leaves out subagents on other models. */
function readTotal(event: JsonObject): Usage | undefined {
  const models = objectAt(event, 'modelUsage');
  if (!models) return undefined;
  const costUsd = numberAt(event, 'total_cost_usd') ?? null;
  return Object.keys(models).reduce<Usage>(
    (sum, name) => {
      const usage = objectAt(models, name);
      const inputTokens = MODEL_INPUT_KEYS.reduce((total, key) => total + tokensAt(usage, key), 0);
      return {
        inputTokens: sum.inputTokens + inputTokens,
        outputTokens: sum.outputTokens + tokensAt(usage, 'outputTokens'),
        costUsd,
      };
    },
    { inputTokens: 0, outputTokens: 0, costUsd },
  );
}

function describeProblem(state: State, event: JsonObject): AgentProblem {
  const kind = findKind(state, event);
  const text = boundActivity(state.message ?? '') ?? textAt(event, 'subtype') ?? 'an error';
  return kind === 'rate-limited' ? { kind, text, retryAfterMs: state.retryDelayMs } : { kind, text };
}

function findKind({ error }: State, event: JsonObject): AgentProblem['kind'] {
  const status = numberAt(event, 'api_error_status');
  // Without any key there is no status, only the error of the last message.
  if (status === 401 || status === 403 || REFUSALS.has(error ?? '')) return 'key-missing';
  // 529: the host is overloaded, which passes like a rate limit.
  if (status === 429 || status === 529) return 'rate-limited';
  if (status !== undefined && status >= 500) return 'host-failed';
  return LIMITS.has(textAt(event, 'subtype') ?? '') ? 'limit' : 'agent-failed';
}

const REFUSALS: ReadonlySet<string> = new Set(['authentication_failed', 'billing_error']);
/** Of the arguments --max-budget-usd and --max-turns. */
const LIMITS: ReadonlySet<string> = new Set(['error_max_budget_usd', 'error_max_turns']);
