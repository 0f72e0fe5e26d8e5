import { addUsage, NO_USAGE } from '../../domain/agent/add-usage.js';
import type { Usage } from '../../domain/agent/usage.js';
import type { AgentProblem, ResultReader } from '../result-reader.js';
import { createEventReader, type ReaderState } from '../stream/event-reader.js';
import { describeHttpProblem } from '../stream/http-problem.js';
import { type JsonObject, numberAt, objectAt, textAt, tokensAt } from '../stream/json-value.js';
import { boundActivity } from '../stream/shown-text.js';

/** Reads `run --format json`: usage is reported after every step. */
export function createOpencodeReader(): ResultReader {
  return createEventReader({ usage: NO_USAGE }, takeEvent);
}

function takeEvent(state: ReaderState, event: JsonObject): void {
  const part = objectAt(event, 'part');
  switch (event.type) {
    case 'text':
      state.message = textAt(part, 'text') ?? state.message;
      state.activity = boundActivity(textAt(part, 'text') ?? '') ?? state.activity;
      break;
    case 'tool_use':
      state.activity = describeTool(part) ?? state.activity;
      break;
    case 'step_finish':
      state.usage = addUsage(state.usage, readUsage(part));
      // Earlier problems are resolved.
      state.problem = undefined;
      state.waitsFor = undefined;
      break;
    case 'error':
      state.problem = describeError(objectAt(event, 'error'));
      state.waitsFor = state.problem;
      break;
  }
}

function describeTool(part: JsonObject | undefined): string | undefined {
  const name = textAt(part, 'tool') ?? '';
  const title = textAt(objectAt(part, 'state'), 'title');
  return boundActivity(title === undefined ? name : `${name}: ${title}`);
}

/** Of one step. The five figures do not overlap. */
function readUsage(part: JsonObject | undefined): Usage {
  const tokens = objectAt(part, 'tokens');
  const cache = objectAt(tokens, 'cache');
  return {
    inputTokens: tokensAt(tokens, 'input') + tokensAt(cache, 'read') + tokensAt(cache, 'write'),
    outputTokens: tokensAt(tokens, 'output') + tokensAt(tokens, 'reasoning'),
    // It reports 0 for a model with an unknown price.
    costUsd: numberAt(part, 'cost') || null,
  };
}

function describeError(error: JsonObject | undefined): AgentProblem {
  const data = objectAt(error, 'data');
  const text = boundActivity(textAt(data, 'message') ?? textAt(error, 'name') ?? '') ?? 'an error';
  if (error?.name === 'ProviderAuthError') return { kind: 'key-missing', text };
  return describeHttpProblem(
    numberAt(data, 'statusCode'),
    text,
    readDelay(objectAt(data, 'responseHeaders')),
  );
}

/** Seconds; for a date, which the header may also contain, our own backoff is used. */
function readDelay(headers: JsonObject | undefined): number | undefined {
  const seconds = textAt(headers, 'retry-after');
  return seconds !== undefined && /^\d+$/.test(seconds) ? Number(seconds) * 1000 : undefined;
}
