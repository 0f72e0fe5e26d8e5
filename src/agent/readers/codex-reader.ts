import { NO_USAGE } from '../../domain/agent/add-usage.js';
import type { Usage } from '../../domain/agent/usage.js';
import type { AgentProblem, ResultReader } from '../result-reader.js';
import { createEventReader, type ReaderState } from '../stream/event-reader.js';
import { describeHttpProblem } from '../stream/http-problem.js';
import { type JsonObject, objectAt, objectsAt, textAt, tokensAt } from '../stream/json-value.js';
import { boundActivity } from '../stream/shown-text.js';

/** Reads `codex exec --json`. It reports tokens only at the end, and never its cost. */
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
      state.problem = describeFailure(state, textAt(objectAt(event, 'error'), 'message') ?? 'an error');
      break;
    case 'error':
      // Mostly reconnects; turn.failed has the reason for giving up.
      state.waitsFor = findWait(textAt(event, 'message') ?? '') ?? state.waitsFor;
      state.activity = boundActivity(textAt(event, 'message') ?? '') ?? state.activity;
      break;
  }
}

function takeItem(state: ReaderState, item: JsonObject | undefined): void {
  state.waitsFor = undefined;
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

/** Of the whole thread. Input tokens include cached ones, output tokens include reasoning. */
const readUsage = (usage: JsonObject | undefined): Usage => ({
  inputTokens: tokensAt(usage, 'input_tokens'),
  outputTokens: tokensAt(usage, 'output_tokens'),
  costUsd: null,
});

/**
 * The HTTP status is only in the message: "unexpected status 401 Unauthorized: ..." and "exceeded retry limit, last
 * status: 429 Too Many Requests". It does not say how long to wait.
 */
function describeProblem(message: string): AgentProblem {
  const status = /\bstatus:? (\d{3})\b/.exec(message)?.[1];
  const text = boundActivity(message) ?? message;
  return describeHttpProblem(status === undefined ? undefined : Number(status), text);
}

/** After failed reconnects, its message is about its host. */
function describeFailure({ waitsFor }: ReaderState, message: string): AgentProblem {
  const problem = describeProblem(message);
  return waitsFor && problem.kind === 'agent-failed' ? { ...problem, kind: 'host-failed' } : problem;
}

/** `Reconnecting... 2/5 (unexpected status 500 Internal Server Error: ...)` */
function findWait(message: string): AgentProblem | undefined {
  if (!message.startsWith('Reconnecting')) return undefined;
  const problem = describeProblem(message);
  return problem.kind === 'agent-failed' ? { ...problem, kind: 'host-failed' } : problem;
}
