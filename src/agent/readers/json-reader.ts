import { NO_USAGE } from '../../domain/agent/add-usage.js';
import type { Usage } from '../../domain/agent/usage.js';
import type { ResultReader } from '../result-reader.js';
import { createDocumentCollector } from '../stream/document-collector.js';
import { type JsonObject, numberAt, objectAt, parseObject, textAt } from '../stream/json-value.js';
import { boundMessage } from '../stream/shown-text.js';

/**
 * For a program that prints JSON, one object per line or one document over many:
 * `usage: { inputTokens, outputTokens, costUsd }` (also as input_tokens, output_tokens, cost_usd, total_cost_usd) is the
 * usage so far, `result` or `message` its last message. The latest of each counts; other lines are ignored.
 */
export function createJsonReader(): ResultReader {
  let usage: Usage = NO_USAGE;
  let message: string | undefined;
  const take = (object: JsonObject): void => {
    usage = readUsage(object) ?? usage;
    message = textAt(object, 'result') ?? textAt(object, 'message') ?? message;
  };
  const documents = createDocumentCollector(take);
  return {
    readLine: line => {
      const object = parseObject(line);
      if (object) take(object);
      else documents.add(line);
    },
    readErrorLine: () => undefined,
    usage: () => usage,
    activity: () => undefined,
    message: () => boundMessage(message),
    problem: () => undefined,
  };
}

function readUsage(object: JsonObject): Usage | undefined {
  const usage = objectAt(object, 'usage');
  if (!usage) return undefined;
  const inputTokens = Math.round(numberAt(usage, 'inputTokens') ?? numberAt(usage, 'input_tokens') ?? 0);
  const outputTokens = Math.round(numberAt(usage, 'outputTokens') ?? numberAt(usage, 'output_tokens') ?? 0);
  const cost = readCost(usage) ?? readCost(object);
  return { inputTokens, outputTokens, costUsd: cost ?? null };
}

/** Inside the usage or next to it. */
const readCost = (object: JsonObject): number | undefined =>
  numberAt(object, 'costUsd') ?? numberAt(object, 'cost_usd') ?? numberAt(object, 'total_cost_usd');
