import { NO_USAGE } from '../../domain/add-usage.js';
import type { Usage } from '../../domain/usage.js';
import { createEventReader, type ReaderState } from '../readers/event-reader.js';
import { type JsonObject, objectAt, objectsAt, textAt, tokensAt } from '../readers/json-value.js';
import { boundActivity } from '../readers/shown-text.js';
import type { AgentProblem, ResultReader } from '../result-reader.js';

/** Reads `codex exec --json`. It tells what was used only once it is done, and never what that cost. */
export function createCodexReader(): ResultReader {
  return createEventReader({ usage: NO_USAGE }, takeEvent);
}

function takeEvent(state: ReaderState, event: JsonObject): void {
  switch (event.type) {
    case 'item.started':
    case 'item.updated':
    case 'item.completed':
      takeItem(state, objectAt(event, 'item'));
      break;
    case 'turn.completed':
      state.usage = readUsage(objectAt(event, 'usage'));
      break;
    case 'turn.failed':
      state.problem = describeProblem(textAt(objectAt(event, 'error'), 'message') ?? 'an error');
      break;
    case 'error':
      // Mostly that it connects again; what it gives up for is told by turn.failed.
      state.activity = boundActivity(textAt(event, 'message') ?? '') ?? state.activity;
      break;
  }
}

function takeItem(state: ReaderState, item: JsonObject | undefined): void {
  const text = textAt(item, 'text');
  if (item?.type === 'agent_message') state.message = text ?? state.message;
  state.activity = describeItem(item, text) ?? state.activity;
}

function describeItem(item: JsonObject | undefined, text: string | undefined): string | undefined {
  switch (item?.type) {
    case 'agent_message':
    case 'reasoning':
      return boundActivity(text ?? '');
    case 'command_execution':
      return boundActivity(textAt(item, 'command') ?? '');
    case 'file_change':
      return boundActivity(
        objectsAt(item, 'changes')
          .map(change => textAt(change, 'path'))
          .join(', '),
      );
    default:
      return undefined;
  }
}

/** Of the whole thread. Those from a cache are among the tokens read, those of reasoning among the tokens written. */
const readUsage = (told: JsonObject | undefined): Usage => ({
  inputTokens: tokensAt(told, 'input_tokens'),
  outputTokens: tokensAt(told, 'output_tokens'),
  costUsd: null,
});

/**
 * The HTTP status is nowhere but in the message: "unexpected status 401 Unauthorized: ..." and "exceeded retry limit,
 * last status: 429 Too Many Requests". How long to wait is not told.
 */
function describeProblem(message: string): AgentProblem {
  const status = /\bstatus:? (\d{3})\b/.exec(message)?.[1];
  const text = boundActivity(message) ?? message;
  if (status === '401' || status === '403') return { kind: 'key-missing', text };
  return { kind: status === '429' ? 'rate-limited' : 'agent-failed', text };
}
