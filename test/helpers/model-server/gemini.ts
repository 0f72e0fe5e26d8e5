import {
  eventReply,
  jsonReply,
  type ModelApi,
  type ModelReply,
  type ModelRequest,
  offersTools,
} from './api.js';
import type { SayTurn, ToolTurn, TurnUsage } from './script.js';

/** Gemini's generateContent and streamGenerateContent, with its count of tokens. */
export const gemini: ModelApi = {
  matches: ({ method, path }) => method === 'POST' && /:(stream)?generateContent$|:countTokens$/i.test(path),
  answerAside: request => {
    if (request.path.endsWith(':countTokens')) return jsonReply({ totalTokens: 100 });
    return offersTools(request)
      ? undefined
      : describe({ say: asideText(request) }, { inputTokens: 0, outputTokens: 0 }, request);
  },
  answer: describe,
  describeError: status => ({
    error: {
      code: status,
      message: `scripted ${status}`,
      status: STATUS_NAMES[status] ?? 'INTERNAL',
      // What the real host answers to a key that it does not know.
      ...(status === 400 ? { details: [{ reason: 'API_KEY_INVALID' }] } : {}),
    },
  }),
};

const STATUS_NAMES: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  429: 'RESOURCE_EXHAUSTED',
  503: 'UNAVAILABLE',
};

/** What asks for JSON (a router's choice of a model, for one) gets an object. */
function asideText({ body }: ModelRequest): string {
  const settings = body.generationConfig as { readonly responseMimeType?: string } | undefined;
  return settings?.responseMimeType === 'application/json' ? '{}' : 'ok';
}

function describe(turn: SayTurn | ToolTurn, usage: TurnUsage, { path }: ModelRequest): ModelReply {
  const { inputTokens, outputTokens, cachedTokens = 0 } = usage;
  const part = 'say' in turn ? { text: turn.say } : { functionCall: { name: turn.tool, args: turn.input } };
  const response = {
    candidates: [{ index: 0, content: { role: 'model', parts: [part] }, finishReason: 'STOP' }],
    usageMetadata: {
      promptTokenCount: inputTokens + cachedTokens,
      cachedContentTokenCount: cachedTokens,
      candidatesTokenCount: outputTokens,
      totalTokenCount: inputTokens + cachedTokens + outputTokens,
    },
    modelVersion: 'scripted',
  };
  return path.endsWith(':streamGenerateContent') ? eventReply([response]) : jsonReply(response);
}
