import { timeLeft } from '../../attempt/limits/deadline.js';
import { runFollowed, splitLines } from '../../attempt/run-followed.js';
import { NO_USAGE } from '../../domain/agent/add-usage.js';
import type { EvalSolution } from '../../domain/batch/eval-item.js';
import type { Command, CommandResult } from '../../domain/command/command.js';
import type { Context } from '../../operations/context.js';
import { agentVariables } from '../agent-program/agent-variables.js';
import type { AgentRequest, AgentResult, EvalAgent } from '../eval-agent.js';
import type { TaskEnvironment } from '../isolation-provider.js';

/** Applies the solution that comes with a task: a task that it fails is broken. */
export const createOracle = (context: Pick<Context, 'now'>): EvalAgent => ({
  name: 'oracle',
  // Its result depends only on the task.
  fingerprint: 'oracle',
  version: null,
  needs: { hosts: [], variables: [] },
  source: { kind: 'oracle' },
  attempt: async request => {
    const { solution } = request.item;
    if (!solution) return ended('failed', { message: 'the task has no solution to apply' });
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
    // git rejects a patch whose last line has no newline.
    stdin: patch === undefined || patch.endsWith('\n') ? patch : `${patch}\n`,
  });
}

const GIT_APPLY = ['git', 'apply', '--whitespace=nowarn', '-'];

/** Executable files stay executable. */
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
  command: Pick<Command, 'command' | 'stdin'>,
): Promise<AgentResult> {
  const { result, tail } = await runFollowed(
    request.environment,
    {
      ...command,
      environment: agentVariables(request),
      timeoutMs: timeLeft(request.deadline, context.now()),
      signal: request.signal,
      maxOutputBytes: 0,
    },
    { readers: splitLines(request.onLine) },
  );
  return describe(result, tail);
}

function describe(result: CommandResult, tail: string): AgentResult {
  const { exitCode } = result;
  if (result.cancelled) return ended('cancelled', { exitCode });
  if (result.sandboxDied) return ended('infrastructure', { exitCode, message: 'the sandbox died' });
  if (result.timedOut) return ended('timed-out', { exitCode, message: 'the solution took too long' });
  if (exitCode === 0) return ended('done', { exitCode });
  return ended('failed', {
    exitCode,
    message: `cannot apply the solution (exit status ${exitCode ?? 'none'})\n${tail}`.trimEnd(),
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
