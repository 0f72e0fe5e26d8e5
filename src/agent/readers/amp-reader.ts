import type { AgentProblem, ResultReader } from '../result-reader.js';
import { describeHostMessage } from '../stream/host-message.js';
import { type JsonObject, textAt, tokensAt } from '../stream/json-value.js';
import { createMessageStreamReader } from './message-stream-reader.js';

/** Reads `--execute --stream-json`. Every message reports tokens, but no cost. */
export function createAmpReader(): ResultReader {
  const reader = createMessageStreamReader({ countInput, findProblem });
  let isKeyMissing = false;
  // Printed before it reads the prompt's first line as a login code; the only other sign is exit status 1.
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
  const problem = describeHostMessage(textAt(result, 'error') ?? '');
  return result.subtype === 'error_max_turns' ? { kind: 'limit', text: problem.text } : problem;
}
