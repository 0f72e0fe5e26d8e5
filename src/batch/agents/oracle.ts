import { createLineSplitter } from '../../agent/line-splitter.js';
import { NO_USAGE } from '../../domain/add-usage.js';
import type { EvalSolution } from '../../domain/eval-item.js';
import type { Context } from '../../operations/context.js';
import type { CommandRequest, CommandResult } from '../../operations/run-command.js';
import { createOutputTail } from '../../workspace/output-tail.js';
import type { AgentRequest, AgentResult, EvalAgent } from '../eval-agent.js';
import type { TaskEnvironment } from '../isolation-provider.js';
import { agentVariables } from './agent-variables.js';

/** Applies the solution that comes with a task: a task that it fails is broken. */
export const createOracle = (context: Pick<Context, 'now'>): EvalAgent => ({
  name: 'oracle',
  // What it does depends on the task alone.
  fingerprint: 'oracle',
  version: null,
  needs: { hosts: [], variables: [] },
  attempt: async request => {
    const { solution } = request.item;
    if (!solution) return ended('failed', { message: 'the task has no solution that could be applied' });
    return apply(context, request, solution);
  },
});

async function apply(
  context: Pick<Context, 'now'>,
  request: AgentRequest,
  solution: EvalSolution,
): Promise<AgentResult> {
  if (solution.kind === 'files') return placeFiles(request.environment, solution.files);
  const patch = solution.kind === 'patch' ? solution.patch : undefined;
  return run(context, request, {
    command: solution.kind === 'script' ? ['sh', '-c', solution.run] : GIT_APPLY,
    // git takes no patch whose last line has no end.
    stdin: patch === undefined || patch.endsWith('\n') ? patch : `${patch}\n`,
  });
}

const GIT_APPLY = ['git', 'apply', '--whitespace=nowarn', '-'];

/** Those that could be executed still can be. */
async function placeFiles(
  environment: TaskEnvironment,
  files: Readonly<Record<string, string>>,
): Promise<AgentResult> {
  const executable = await listExecutable(environment, Object.keys(files));
  for (const [path, content] of Object.entries(files))
    await environment.writeFile(path, Buffer.from(content), { executable: executable.has(path) });
  return ended('done');
}

async function listExecutable(
  environment: TaskEnvironment,
  paths: readonly string[],
): Promise<ReadonlySet<string>> {
  const script =
    'for path; do if [ -f "./$path" ] && [ -x "./$path" ]; then printf "%s\\n" "$path"; fi; done';
  const command = ['sh', '-c', script, 'sh', ...paths];
  const { stdout } = await environment.run({ command, endsLeftovers: false });
  return new Set(stdout.toString().split('\n'));
}

async function run(
  context: Pick<Context, 'now'>,
  request: AgentRequest,
  command: Pick<CommandRequest, 'command' | 'stdin'>,
): Promise<AgentResult> {
  const tail = createOutputTail();
  const splitters = {
    stdout: createLineSplitter(line => request.onLine('stdout', line)),
    stderr: createLineSplitter(line => request.onLine('stderr', line)),
  };
  const result = await request.environment.run({
    ...command,
    environment: agentVariables(request),
    timeoutMs: Math.max(1, request.deadline - context.now()),
    signal: request.signal,
    maxOutputBytes: 0,
    onOutput: (stream, chunk) => {
      tail.add(chunk);
      splitters[stream].add(chunk);
    },
  });
  for (const splitter of Object.values(splitters)) splitter.end();
  return describe(result, tail.text());
}

function describe(result: CommandResult, tail: string): AgentResult {
  const { exitCode } = result;
  if (result.cancelled) return ended('cancelled', { exitCode });
  if (result.sandboxDied) return ended('infrastructure', { exitCode, message: 'the sandbox died' });
  if (result.timedOut) return ended('timed-out', { exitCode, message: 'the solution took too long' });
  if (exitCode === 0) return ended('done', { exitCode });
  return ended('failed', {
    exitCode,
    message: `the solution could not be applied (exit status ${exitCode ?? 'none'})\n${tail}`.trimEnd(),
  });
}

const ended = (ending: AgentResult['ending'], more: Partial<AgentResult> = {}): AgentResult => ({
  ending,
  exitCode: null,
  usage: NO_USAGE,
  message: null,
  findings: [],
  ...more,
});
