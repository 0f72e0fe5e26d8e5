import { NO_USAGE } from '../../domain/agent/add-usage.js';
import type { Usage } from '../../domain/agent/usage.js';
import type { AgentProblem, ResultReader } from '../result-reader.js';
import { boundActivity, boundMessage } from '../stream/shown-text.js';

/** Reads the output for people: there is no other format, and the exit status is 0 even when its model refuses. */
export function createAiderReader(): ResultReader {
  const state: State = { usage: NO_USAGE, block: [] };
  return {
    readLine: line => takeLine(state, line),
    readErrorLine: () => undefined,
    usage: () => state.usage,
    activity: () => state.activity,
    message: () => boundMessage(state.message),
    problem: () => state.problem,
    // A response of the model clears it.
    waitsFor: () => state.problem,
  };
}

interface State {
  usage: Usage;
  /** The output since the last report of tokens. */
  block: string[];
  activity?: string | undefined;
  message?: string | undefined;
  problem?: AgentProblem | undefined;
}

const MOST_LINES = 400;

function takeLine(state: State, line: string): void {
  if (HEAD.test(line)) {
    state.block = [];
    return;
  }
  state.activity = boundActivity(line) ?? state.activity;
  state.problem = findProblem(line) ?? state.problem;
  if (line.startsWith('Tokens: ')) takeReport(state, line);
  else state.block.push(line.slice(0, MOST_LINE_CHARACTERS));
  if (state.block.length > 2 * MOST_LINES) state.block = state.block.slice(-MOST_LINES);
  const cost = COST.exec(line)?.[1];
  if (cost !== undefined) state.usage = { ...state.usage, costUsd: Number(cost.replaceAll(',', '')) };
}

const MOST_LINE_CHARACTERS = 4096;
/** Its output before it starts. */
const HEAD = /^(Aider v|Main model: |Weak model: |Editor model: |Model: |Git repo: |Repo-map: )/;
/** On the line of the tokens or on the next. The second figure is for the whole session. */
const COST = /\bCost: \$[\d.,]+ message, \$([\d.,]+) session\./;

/** `Tokens: 1.2k sent, 350 received.` ends every response of the model, so earlier problems are resolved. */
function takeReport(state: State, line: string): void {
  state.message = state.block.join('\n');
  state.block = [];
  state.problem = undefined;
  state.usage = {
    ...state.usage,
    inputTokens: state.usage.inputTokens + readFigure(line, 'sent'),
    outputTokens: state.usage.outputTokens + readFigure(line, 'received'),
  };
}

/** Rounded to two digits above a thousand, which is all that it prints. */
function readFigure(line: string, name: 'sent' | 'received'): number {
  const [, figure = '0', thousands] = new RegExp(`([\\d.]+)(k?) ${name}\\b`).exec(line) ?? [];
  return Math.round(Number(figure) * (thousands === 'k' ? 1000 : 1));
}

/** `litellm.RateLimitError: ...`: the name of the exception, at the beginning of a line. */
function findProblem(line: string): AgentProblem | undefined {
  // Printed once, before it waits five minutes for a login.
  if (line.startsWith('No LLM model was specified and no API keys'))
    return { kind: 'key-missing', text: line };
  const name = /^litellm\.(\w+): /.exec(line)?.[1];
  if (name === undefined) return undefined;
  return { kind: KINDS[name] ?? 'agent-failed', text: boundActivity(line) ?? name };
}

const KINDS: Readonly<Record<string, AgentProblem['kind']>> = {
  AuthenticationError: 'key-missing',
  PermissionDeniedError: 'key-missing',
  RateLimitError: 'rate-limited',
  InternalServerError: 'host-failed',
  ServiceUnavailableError: 'host-failed',
  APIConnectionError: 'host-failed',
};
