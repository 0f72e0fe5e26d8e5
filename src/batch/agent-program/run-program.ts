import type { Invocation } from '../../agent/invocation.js';
import type { AgentProblem, ResultReader } from '../../agent/result-reader.js';
import { timeLeft } from '../../attempt/limits/deadline.js';
import { removeAgentLeftovers } from '../../attempt/remove-agent-leftovers.js';
import { type AgentRun, describeUnread, runAgent } from '../../attempt/run-agent.js';
import type { CommandResult } from '../../domain/command/command.js';
import type { ResolvedAgent } from '../../domain/task/task.js';
import { formatDuration } from '../../domain/text/format-quantity.js';
import type { Context } from '../../operations/context.js';
import type { AgentRequest, AgentResult } from '../eval-agent.js';
import { type UsageWatch, watchUsage } from './usage-watch.js';

export interface ProgramCall {
  readonly invocation: Invocation;
  readonly reader: ResultReader;
  readonly agent: ResolvedAgent;
}

/** Runs an agent's program once: its output goes to the log and to the parser, and its usage is reported. */
export async function runProgram(
  context: Pick<Context, 'now' | 'redactor'>,
  request: AgentRequest,
  { invocation, reader, agent }: ProgramCall,
): Promise<AgentResult> {
  const { environment, onLine } = request;
  const watch = watchUsage(request);
  const timeoutMs = timeLeft(request.deadline, context.now());
  let unread = 0;
  const run = await runAgent({
    ...{ environment, redactor: context.redactor, invocation, reader, timeoutMs },
    signal: watch.signal,
    maxOutputBytes: 0,
    onLine,
    onActivity: activity => onLine('activity', activity),
    onUsage: watch.report,
    onUnread: () => {
      unread++;
    },
  });
  // The agent may have configured programs that this git runs, so their processes are killed too.
  await removeAgentLeftovers(environment, agent, { timeoutMs: LEFTOVERS_MS });
  const findings = [...describeLeftovers(run.result), ...describeCut(unread)];
  return { ...toAgentResult({ reader, agent }, run, { watch, timeoutMs }), findings };
}

const LEFTOVERS_MS = 60_000;

/** Processes still running are killed, so that they cannot change what is graded. The note makes the attempt visible. */
function describeLeftovers({ leftovers = 0 }: CommandResult): string[] {
  if (leftovers === 0) return [];
  const what = leftovers === 1 ? 'a process' : `${leftovers} processes`;
  return [`left ${what} running; Carrel killed ${leftovers === 1 ? 'it' : 'them'}`];
}

const describeCut = (lines: number): string[] =>
  lines === 0 ? [] : [describeUnread(lines === 1 ? 'a line' : `${lines} lines`)];

interface Circumstances {
  readonly watch: UsageWatch;
  readonly timeoutMs: number;
}

function toAgentResult(
  { reader, agent }: Pick<ProgramCall, 'reader' | 'agent'>,
  { result, ending: kind, tail }: AgentRun,
  { watch, timeoutMs }: Circumstances,
): Omit<AgentResult, 'findings'> {
  const { exitCode } = result;
  const common = { exitCode, usage: reader.usage() };
  const over = watch.problem();
  if (over) return { ...common, ending: 'failed', message: over.text, problem: over };
  const problem = reader.problem() ?? limitProblem(result);
  const host = findHostProblem(reader, kind);
  if (host) return { ...common, ending: 'infrastructure', message: host.text, problem: host };
  const ending = toEnding(kind, agent);
  if (ending === 'done') return { ...common, ending, message: reader.message() ?? null };
  if (ending === 'timed-out')
    return { ...common, ending, message: `it was stopped after ${formatDuration(timeoutMs)}` };
  const status = `exit status ${exitCode ?? 'none'}`;
  const message = problem?.text ?? [status, tail].filter(Boolean).join('\n');
  return { ...common, ending, message, ...(problem && { problem }) };
}

/**
 * What the model's host did is not held against the agent: neither a final error, nor a retry still running
 * when its time was up.
 */
function findHostProblem(reader: ResultReader, kind: AgentRun['ending']): AgentProblem | undefined {
  const told = kind === 'timed-out' ? reader.waitsFor?.() : kind === 'agent-failed' && reader.problem();
  return told && HOST_PROBLEMS.has(told.kind) ? told : undefined;
}

const HOST_PROBLEMS: ReadonlySet<AgentProblem['kind']> = new Set(['rate-limited', 'host-failed']);

const limitProblem = ({ limit, exitCode }: CommandResult) =>
  limit === undefined || exitCode === 0
    ? undefined
    : { kind: 'limit' as const, text: `it reached the sandbox limit for ${limit}` };

/**
 * Without a key, a reachable host or a program the agent cannot be graded. A command of the user's own that exits with
 * 127 may have got as far as its second line: that is its own failure.
 */
function toEnding(kind: AgentRun['ending'], { program }: ResolvedAgent): AgentResult['ending'] {
  switch (kind) {
    case undefined:
      return 'done';
    case 'cancelled':
    case 'timed-out':
      return kind;
    case 'sandbox-failed':
    case 'rate-limited':
    case 'key-missing':
      return 'infrastructure';
    case 'program-missing':
      return program.kind === 'preset' ? 'infrastructure' : 'failed';
    default:
      return 'failed';
  }
}
