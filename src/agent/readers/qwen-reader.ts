import type { AgentProblem, ResultReader } from '../result-reader.js';
import { describeHostMessage, withRetryLines } from '../stream/host-message.js';
import { type JsonObject, objectAt, textAt, tokensAt } from '../stream/json-value.js';
import { boundActivity } from '../stream/shown-text.js';
import { createMessageStreamReader, type OutputBeforeResult } from './message-stream-reader.js';

/** Reads `--output-format stream-json`. Every message reports tokens, but no cost. */
export const createQwenReader = (): ResultReader =>
  withRetryLines(
    createMessageStreamReader({
      // Includes cached ones.
      countInput: usage => tokensAt(usage, 'input_tokens'),
      findProblem,
    }),
  );

function findProblem(result: JsonObject, story: OutputBeforeResult): AgentProblem | undefined {
  if (result.is_error !== true) return findRefusal(textAt(result, 'result') ?? '', story);
  const message = textAt(objectAt(result, 'error'), 'message') ?? '';
  // Before a session starts it fails for only one reason: a missing login.
  return story.isBegun
    ? describeHostMessage(message)
    : { kind: 'key-missing', text: boundActivity(message) ?? 'an error' };
}

/**
 * It reports a refusal of its model's host as a success with exit status 0: the result is `[API Error: 401 ...]`, in a
 * message without output tokens. There is no other sign of it.
 */
function findRefusal(words: string, { lastOutputTokens }: OutputBeforeResult): AgentProblem | undefined {
  if (!words.startsWith('[API Error: ') || lastOutputTokens > 0) return undefined;
  return describeHostMessage(words);
}
