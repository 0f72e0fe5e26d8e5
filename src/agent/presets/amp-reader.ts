import { type JsonObject, textAt, tokensAt } from '../readers/json-value.js';
import { createMessageStreamReader } from '../readers/message-stream-reader.js';
import { boundActivity } from '../readers/shown-text.js';
import type { AgentProblem, ResultReader } from '../result-reader.js';

/** Reads `--execute --stream-json`. What was used is told with every message, what it cost never. */
export function createAmpReader(): ResultReader {
  const reader = createMessageStreamReader({ countInput, findProblem });
  let isKeyMissing = false;
  // Printed before it takes the prompt's first line for the code of a login; nothing else but the exit status 1 tells.
  const look = (line: string): void => {
    if (line.startsWith('No API key found')) isKeyMissing = true;
  };
  return {
    ...reader,
    readLine: line => {
      look(line);
      reader.readLine(line);
    },
    readErrorLine: look,
    problem: () =>
      isKeyMissing ? { kind: 'key-missing', text: 'AMP_API_KEY is not set' } : reader.problem(),
  };
}

const countInput = (usage: JsonObject): number =>
  tokensAt(usage, 'input_tokens') +
  tokensAt(usage, 'cache_read_input_tokens') +
  tokensAt(usage, 'cache_creation_input_tokens');

function findProblem(result: JsonObject): AgentProblem | undefined {
  if (result.is_error !== true) return undefined;
  const text = boundActivity(textAt(result, 'error') ?? '') ?? 'an error';
  return { kind: result.subtype === 'error_max_turns' ? 'limit' : 'agent-failed', text };
}
