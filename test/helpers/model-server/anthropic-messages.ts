import { eventReply, jsonReply, type ModelApi, type ModelReply, newId, offersTools } from './api.js';
import type { SayTurn, ToolTurn, TurnUsage } from './script.js';

/** Anthropic's Messages, streamed and not, with its count of tokens. */
export const anthropicMessages: ModelApi = {
  matches: ({ method, path }) => method === 'POST' && path.startsWith('/v1/messages'),
  answerAside: request => {
    if (request.path.endsWith('/count_tokens')) return jsonReply({ input_tokens: 100 });
    return offersTools(request)
      ? undefined
      : describe({ say: 'ok' }, { inputTokens: 0, outputTokens: 0 }, request.body);
  },
  answer: (turn, usage, { body }) => describe(turn, usage, body),
  describeError: status => ({
    type: 'error',
    error: { type: ERROR_TYPES[status] ?? 'api_error', message: `scripted ${status}` },
  }),
};

const ERROR_TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};

function describe(
  turn: SayTurn | ToolTurn,
  usage: TurnUsage,
  body: Readonly<Record<string, unknown>>,
): ModelReply {
  const message = describeMessage(turn, usage, body.model);
  return body.stream === true ? eventReply(streamMessage(message)) : jsonReply(message);
}

function describeMessage(turn: SayTurn | ToolTurn, usage: TurnUsage, model: unknown) {
  return {
    id: newId('msg'),
    type: 'message',
    role: 'assistant',
    model,
    content: [
      'say' in turn
        ? { type: 'text', text: turn.say }
        : { type: 'tool_use', id: newId('toolu'), name: turn.tool, input: turn.input },
    ],
    stop_reason: 'say' in turn ? 'end_turn' : 'tool_use',
    stop_sequence: null,
    usage: {
      input_tokens: usage.inputTokens,
      output_tokens: usage.outputTokens,
      cache_read_input_tokens: usage.cachedTokens ?? 0,
      cache_creation_input_tokens: 0,
    },
  };
}

function streamMessage(message: ReturnType<typeof describeMessage>) {
  const [block] = message.content;
  const isText = block?.type === 'text';
  const begun = isText ? { type: 'text', text: '' } : { ...block, input: {} };
  const delta = isText
    ? { type: 'text_delta', text: block.text }
    : { type: 'input_json_delta', partial_json: JSON.stringify(block?.input) };
  return [
    {
      type: 'message_start',
      message: { ...message, content: [], stop_reason: null, usage: { ...message.usage, output_tokens: 1 } },
    },
    { type: 'content_block_start', index: 0, content_block: begun },
    { type: 'content_block_delta', index: 0, delta },
    { type: 'content_block_stop', index: 0 },
    {
      type: 'message_delta',
      delta: { stop_reason: message.stop_reason, stop_sequence: null },
      usage: { output_tokens: message.usage.output_tokens },
    },
    { type: 'message_stop' },
  ];
}
