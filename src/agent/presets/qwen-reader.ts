import { describeHttpProblem } from '../readers/http-problem.js';
import { type JsonObject, objectAt, textAt, tokensAt } from '../readers/json-value.js';
import { createMessageStreamReader, type MessageStory } from '../readers/message-stream-reader.js';
import { boundActivity } from '../readers/shown-text.js';
import type { AgentProblem, ResultReader } from '../result-reader.js';

/** Reads `--output-format stream-json`. What was used is told with every message, what it cost never. */
export const createQwenReader = (): ResultReader =>
  createMessageStreamReader({
    // Those from a cache are among them.
    countInput: usage => tokensAt(usage, 'input_tokens'),
    findProblem,
  });

function findProblem(result: JsonObject, story: MessageStory): AgentProblem | undefined {
  if (result.is_error !== true) return findRefusal(textAt(result, 'result') ?? '', story);
  const text = boundActivity(textAt(objectAt(result, 'error'), 'message') ?? '') ?? 'an error';
  // Before a session begins it fails for one reason: there is no way to sign in.
  return { kind: story.isBegun ? 'agent-failed' : 'key-missing', text };
}

/**
 * What its model's host refuses, it reports as a success with exit status 0: the result is `[API Error: 401 ...]`, in a
 * message for which no token was written. There is no other sign of it.
 */
function findRefusal(words: string, { lastOutputTokens }: MessageStory): AgentProblem | undefined {
  const refusal = /^\[API Error: (\d{3})?/.exec(words);
  if (!refusal || lastOutputTokens > 0) return undefined;
  const status = refusal[1] === undefined ? undefined : Number(refusal[1]);
  return describeHttpProblem(status, boundActivity(words) ?? 'an error');
}
