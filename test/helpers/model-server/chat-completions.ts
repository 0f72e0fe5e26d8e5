import {
  eventReply,
  jsonReply,
  type ModelApi,
  type ModelReply,
  type ModelRequest,
  offersTools,
} from './api.js';
import type { SayTurn, ToolTurn, TurnUsage } from './script.js';

/**
 * OpenAI's chat completions, streamed and not. An agent that edits by text only, without tools, gets a base url
 * below /plain, so that its questions count as turns.
 */
export const chatCompletions: ModelApi = {
  matches: ({ method, path }) => method === 'POST' && path.endsWith('/chat/completions'),
  answerAside: request =>
    offersTools(request) || request.path.startsWith('/plain/')
      ? undefined
      : describe({ say: 'ok' }, { inputTokens: 0, outputTokens: 0 }, request),
  answer: describe,
  describeError: status => ({
    error: {
      type: ERROR_TYPES[status] ?? 'server_error',
      code: ERROR_CODES[status] ?? null,
      // LiteLLM looks for these words, which are the real host's.
      message: status === 401 ? 'Incorrect API key provided' : `scripted ${status}`,
      param: null,
    },
  }),
};

const ERROR_TYPES: Readonly<Record<number, string>> = {
  401: 'invalid_request_error',
  429: 'requests',
};
const ERROR_CODES: Readonly<Record<number, string>> = {
  401: 'invalid_api_key',
  429: 'rate_limit_exceeded',
};

function describe(turn: SayTurn | ToolTurn, usage: TurnUsage, { body }: ModelRequest): ModelReply {
  const base = { id: 'chatcmpl-scripted', created: 0, model: body.model };
  const message = { role: 'assistant', ...describeContent(turn) };
  const finish_reason = 'say' in turn ? 'stop' : 'tool_calls';
  const figures = describeUsage(usage);
  if (body.stream !== true) {
    const choices = [{ index: 0, message, finish_reason }];
    return jsonReply({ ...base, object: 'chat.completion', choices, usage: figures });
  }
  const chunk = { ...base, object: 'chat.completion.chunk' };
  return endStream(
    eventReply([
      { ...chunk, choices: [{ index: 0, delta: message, finish_reason: null }] },
      { ...chunk, choices: [{ index: 0, delta: {}, finish_reason }] },
      { ...chunk, choices: [], usage: figures },
    ]),
  );
}

function describeContent(turn: SayTurn | ToolTurn) {
  if ('say' in turn) return { content: turn.say };
  const call = { name: turn.tool, arguments: JSON.stringify(turn.input) };
  return { content: null, tool_calls: [{ index: 0, id: 'call_scripted', type: 'function', function: call }] };
}

function describeUsage({ inputTokens, outputTokens, cachedTokens = 0 }: TurnUsage) {
  return {
    prompt_tokens: inputTokens + cachedTokens,
    prompt_tokens_details: { cached_tokens: cachedTokens },
    completion_tokens: outputTokens,
    total_tokens: inputTokens + cachedTokens + outputTokens,
  };
}

const endStream = (reply: ModelReply): ModelReply => ({ ...reply, text: `${reply.text}data: [DONE]\n\n` });
