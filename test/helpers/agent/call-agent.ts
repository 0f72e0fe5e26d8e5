import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { classifyEnding } from '../../../src/agent/classify-ending.js';
import { createReader, planInvocation } from '../../../src/agent/plan-invocation.js';
import type { ResultReader } from '../../../src/agent/result-reader.js';
import { createLineSplitter } from '../../../src/agent/stream/line-splitter.js';
import type { PresetName } from '../../../src/domain/agent/agent.js';
import type { CommandResult } from '../../../src/domain/command/command.js';
import type { ResolvedAgent } from '../../../src/domain/task/task.js';
import { runProcess } from '../../../src/exec/run-process.js';
import { gitEnv } from '../repository.js';
import { tempDir } from '../temp.js';

export interface AgentCall {
  readonly cwd: string;
  readonly prompt?: string;
  readonly isSandboxed?: boolean;
  readonly budgetUsd?: number;
  /** Instead of the usual ones of a test, such as PATH and the url of a model server. */
  readonly environment?: Readonly<Record<string, string>>;
}

export interface AgentCallResult {
  readonly result: CommandResult;
  readonly ending: ReturnType<typeof classifyEnding>;
  readonly reader: ResultReader;
  readonly outputDir: string;
}

/** Runs an agent as a stage does, on the host, with its own home and handoff directory. */
export async function callAgent(agent: ResolvedAgent, call: AgentCall): Promise<AgentCallResult> {
  const directory = tempDir();
  const handoff = makeFixture(directory);
  const { prompt = 'Do as the script says.', isSandboxed = false } = call;
  writeFileSync(handoff.promptFile, prompt);
  const invocation = planInvocation(agent, {
    prompt,
    handoff,
    isSandboxed,
    callerEnvironment: call.environment ?? {},
    budgetUsd: call.budgetUsd,
  });
  const reader = createReader(agent);
  const splitters = {
    stdout: createLineSplitter(reader.readLine),
    stderr: createLineSplitter(reader.readErrorLine),
  };
  const [command, ...args] = invocation.command;
  const result = await runProcess({
    command,
    args,
    cwd: call.cwd,
    env: { ...gitEnv(), HOME: join(directory, 'home'), ...call.environment, ...invocation.environment },
    stdin: invocation.stdin ?? '',
    timeoutMs: 50_000,
    onOutput: (stream, chunk) => splitters[stream].add(chunk),
  });
  for (const splitter of Object.values(splitters)) splitter.end();
  if (result.exitCode !== null) reader.readExit?.(result.exitCode);
  const ending = classifyEnding({ ...result, problem: reader.problem() });
  return { result, ending, reader, outputDir: handoff.outputDir };
}

function makeFixture(directory: string) {
  const place = (name: string): string => {
    mkdirSync(join(directory, name));
    return join(directory, name);
  };
  place('home');
  return {
    promptFile: join(directory, 'prompt.md'),
    inputDir: place('inputs'),
    outputDir: place('outputs'),
    filesDir: place('files'),
  };
}

/** An agent that is a preset with everything else at its usual value. */
export const presetAgent = (
  preset: PresetName,
  more: Partial<Omit<ResolvedAgent, 'program'>> & { readonly model?: string } = {},
): ResolvedAgent => {
  const { model, ...rest } = more;
  return {
    name: preset,
    program: { kind: 'preset', preset, model },
    arguments: [],
    instructions: null,
    environment: {},
    passEnvironment: [],
    hosts: [],
    files: {},
    result: preset,
    ...rest,
  };
};
