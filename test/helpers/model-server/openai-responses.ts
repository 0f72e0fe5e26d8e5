import {
  eventReply,
  jsonReply,
  type ModelApi,
  type ModelReply,
  type ModelRequest,
  newId,
  offersTools,
} from './api.js';
import type { SayTurn, ToolTurn, TurnUsage } from './script.js';

/** OpenAI's Responses, streamed and not. */
export const openaiResponses: ModelApi = {
  matches: ({ method, path }) => method === 'POST' && path.endsWith('/responses'),
  answerAside: request =>
    offersTools(request) || bringsTools(request)
      ? undefined
      : describe({ say: 'ok' }, { inputTokens: 0, outputTokens: 0 }, request.body),
  answer: (turn, usage, { body }) => describe(turn, usage, body),
  describeError: status => ({
    error: {
      type: ERROR_TYPES[status] ?? 'server_error',
      code: null,
      message: `scripted ${status}`,
      param: null,
    },
  }),
};

/** Codex hands the tools of some models over as a part of the input. */
const bringsTools = ({ body }: ModelRequest): boolean =>
  Array.isArray(body.input) && body.input.some(item => item?.type === 'additional_tools');

const ERROR_TYPES: Readonly<Record<number, string>> = {
  401: 'invalid_request_error',
  429: 'rate_limit_error',
};

function describe(
  turn: SayTurn | ToolTurn,
  usage: TurnUsage,
  body: Readonly<Record<string, unknown>>,
): ModelReply {
  const item = describeItem(turn);
  const response = describeResponse(item, usage, body.model);
  if (body.stream !== true) return jsonReply(response);
  return eventReply([
    { type: 'response.created', response: { ...response, status: 'in_progress', output: [], usage: null } },
    { type: 'response.output_item.added', output_index: 0, item },
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response },
  ]);
}

function describeItem(turn: SayTurn | ToolTurn) {
  if ('say' in turn)
    return {
      id: newId('msg'),
      type: 'message',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: turn.say, annotations: [] }],
    };
  return {
    id: newId('fc'),
    type: 'function_call',
    call_id: newId('call'),
    name: turn.tool,
    arguments: JSON.stringify(turn.input),
    status: 'completed',
  };
}

function describeResponse(item: ReturnType<typeof describeItem>, usage: TurnUsage, model: unknown) {
  const cached = usage.cachedTokens ?? 0;
  return {
    id: newId('resp'),
    object: 'response',
    created_at: 0,
    status: 'completed',
    model,
    output: [item],
    usage: {
      input_tokens: usage.inputTokens + cached,
      input_tokens_details: { cached_tokens: cached },
      output_tokens: usage.outputTokens,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: usage.inputTokens + cached + usage.outputTokens,
    },
  };
}
