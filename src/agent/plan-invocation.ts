import type { ResolvedAgent } from '../domain/task.js';
import type { Invocation } from './invocation.js';
import { findPreset } from './presets.js';
import { createJsonReader } from './readers/json-reader.js';
import { createTextReader } from './readers/text-reader.js';
import type { ResultReader } from './result-reader.js';

export interface InvocationRequest {
  readonly prompt: string;
  /** Paths as the agent sees them. */
  readonly desk: {
    readonly promptFile: string;
    readonly inputDir: string;
    readonly outputDir: string;
    readonly filesDir: string;
  };
  readonly isSandboxed: boolean;
}

/** How an agent is called for one attempt. The agent's own variables win over a preset's, and Carrel's over both. */
export function planInvocation(agent: ResolvedAgent, request: InvocationRequest): Invocation {
  const { promptFile, inputDir, outputDir, filesDir } = request.desk;
  const { command, stdin, environment } = planProgram(agent, request);
  return {
    command,
    stdin,
    environment: {
      ...environment,
      ...agent.environment,
      CARREL_PROMPT_FILE: promptFile,
      CARREL_INPUT_DIR: inputDir,
      CARREL_OUTPUT_DIR: outputDir,
      CARREL_FILES_DIR: filesDir,
    },
  };
}

/** A reader for what one run of the agent prints. */
export function createReader({ result }: ResolvedAgent): ResultReader {
  if (result === 'text') return createTextReader();
  return result === 'json' ? createJsonReader() : findPreset(result).createReader();
}

function planProgram(agent: ResolvedAgent, request: InvocationRequest): Invocation {
  const { program } = agent;
  if (program.kind === 'preset') return planPreset(agent, program, request);
  const { prompt } = request;
  return {
    command: planCommand(program.command, agent.arguments, program.prompt === 'argument' ? [prompt] : []),
    stdin: program.prompt === 'stdin' ? prompt : undefined,
    environment: {},
  };
}

/** Text is for the shell, which has the prompt as $1; a program of a list has it as its last argument. */
function planCommand(
  command: string | readonly string[],
  further: readonly string[],
  prompt: readonly string[],
): Invocation['command'] {
  if (typeof command === 'string') return ['sh', '-c', command, 'carrel', ...prompt, ...further];
  const [program = '', ...args] = command;
  return [program, ...args, ...further, ...prompt];
}

function planPreset(
  agent: ResolvedAgent,
  { preset: name, model }: Extract<ResolvedAgent['program'], { kind: 'preset' }>,
  { prompt, desk, isSandboxed }: InvocationRequest,
): Invocation {
  const preset = findPreset(name);
  const { promptFile, outputDir } = desk;
  const request = { prompt, promptFile, outputDir, model, further: agent.arguments, isSandboxed };
  return {
    command: [preset.program, ...preset.arguments(request)],
    stdin: preset.prompt === 'stdin' ? prompt : undefined,
    environment: preset.environment(request),
  };
}
