import { classifyEnding } from '../../agent/classify.js';
import type { Invocation } from '../../agent/invocation.js';
import { findPreset } from '../../agent/presets.js';
import type { ResultReader } from '../../agent/result-reader.js';
import { createSkimmer } from '../../agent/skimmer.js';
import { formatDuration } from '../../domain/quantity.js';
import type { ResolvedAgent } from '../../domain/task.js';
import type { Context } from '../../operations/context.js';
import type { CommandResult } from '../../operations/run-command.js';
import { createOutputTail } from '../../workspace/output-tail.js';
import type { AgentRequest, AgentResult } from '../eval-agent.js';
import { type UsageWatch, watchUsage } from './usage-watch.js';

export interface ProgramCall {
  readonly invocation: Invocation;
  readonly reader: ResultReader;
  readonly agent: ResolvedAgent;
}

/** Runs an agent's program once: what it prints goes to the log and to the reader, and what it uses is told. */
export async function runProgram(
  context: Pick<Context, 'now'>,
  request: AgentRequest,
  call: ProgramCall,
): Promise<AgentResult> {
  const { reader } = call;
  const watch = watchUsage(request);
  const tail = createOutputTail();
  const account = createAccount(request, reader, watch);
  const splitters = createSplitters(request, reader);
  const timeoutMs = Math.max(1, request.deadline - context.now());
  const result = await request.environment.run({
    ...call.invocation,
    timeoutMs,
    signal: watch.signal,
    maxOutputBytes: 0,
    onOutput: (stream, chunk) => {
      tail.add(chunk);
      splitters[stream].add(chunk);
      account();
    },
  });
  for (const splitter of Object.values(splitters)) splitter.end();
  account();
  await clearLitter(request, call.agent);
  const findings = describeLeftovers(result);
  return { ...judge(call, result, { watch, tail: tail.text(), timeoutMs }), findings };
}

/** Nothing that runs on has a say in what is graded; somebody may have hoped for that. */
function describeLeftovers({ leftovers }: CommandResult): string[] {
  if (leftovers === 0) return [];
  const what = leftovers === 1 ? 'a process' : `${leftovers} processes`;
  return [`left ${what} running; nothing of it went on`];
}

function createSplitters({ onLine }: AgentRequest, reader: ResultReader) {
  return {
    stdout: createSkimmer(line => {
      onLine('stdout', line);
      reader.readLine(line);
    }),
    stderr: createSkimmer(line => {
      onLine('stderr', line);
      reader.readErrorLine(line);
    }),
  };
}

/** After every piece of output; an activity is told once, however often it is looked at. */
function createAccount({ onLine }: AgentRequest, reader: ResultReader, watch: UsageWatch): () => void {
  let shown: string | undefined;
  return () => {
    watch.report(reader.usage());
    const activity = reader.activity();
    if (activity === undefined || activity === shown) return;
    shown = activity;
    onLine('activity', activity);
  };
}

const LITTER_MS = 60_000;

/** What a program keeps for itself in the working tree is no part of its answer. */
async function clearLitter({ environment }: AgentRequest, { program }: ResolvedAgent): Promise<void> {
  const litter = program.kind === 'preset' ? findPreset(program.preset).litter : undefined;
  if (!litter) return;
  const paths = litter.map(path => `:(top)${path}`);
  const command = ['git', 'clean', '--force', '-d', '--quiet', '--', ...paths];
  // The agent may have configured what this git runs on the way, so nothing of it is let go on either.
  await environment.run({ command, timeoutMs: LITTER_MS });
}

interface Circumstances {
  readonly watch: UsageWatch;
  readonly tail: string;
  readonly timeoutMs: number;
}

function judge(
  call: ProgramCall,
  result: CommandResult,
  { watch, tail, timeoutMs }: Circumstances,
): Omit<AgentResult, 'findings'> {
  const { reader } = call;
  const { exitCode } = result;
  if (exitCode !== null) reader.readExit?.(exitCode);
  const common = { exitCode, usage: reader.usage() };
  const over = watch.problem();
  if (over) return { ...common, ending: 'failed', message: over.text, problem: over };
  const problem = reader.problem() ?? limitProblem(result);
  const kind = classifyEnding({ ...result, problem: reader.problem() });
  const ending = toEnding(kind, call.agent);
  if (ending === 'done') return { ...common, ending, message: reader.message() ?? null };
  if (ending === 'timed-out')
    return { ...common, ending, message: `it was ended after ${formatDuration(timeoutMs)}` };
  const status = `exit status ${exitCode ?? 'none'}`;
  const message = problem?.text ?? [status, tail].filter(Boolean).join('\n');
  return { ...common, ending, message, ...(problem && { problem }) };
}

const limitProblem = ({ limit, exitCode }: CommandResult) =>
  limit === undefined || exitCode === 0
    ? undefined
    : { kind: 'limit' as const, text: `it ran into the limit of the sandbox for ${limit}` };

/**
 * Without a key, a host that answers or a program nobody could judge the agent. A command of the user's own that ends with
 * 127 may have got as far as its second line: that is its own failure.
 */
function toEnding(
  kind: ReturnType<typeof classifyEnding>,
  { program }: ResolvedAgent,
): AgentResult['ending'] {
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
