import type { ResolvedAgent } from '../domain/task/task.js';
import type { Invocation } from './invocation.js';
import { findPreset } from './presets.js';
import { createJsonReader } from './readers/json-reader.js';
import { createTextReader } from './readers/text-reader.js';
import type { ResultReader } from './result-reader.js';

export interface InvocationRequest {
  readonly prompt: string;
  /** Paths as the agent sees them. */
  readonly handoff: {
    readonly promptFile: string;
    readonly inputDir: string;
    readonly outputDir: string;
    readonly filesDir: string;
  };
  readonly isSandboxed: boolean;
  /** A sandboxed agent gets only the variables meant for it; on the host it has all of them anyway. */
  readonly callerEnvironment: Readonly<Record<string, string>>;
  /** Its remaining budget in US dollars; undefined for no limit. */
  readonly budgetUsd?: number | undefined;
}

/**
 * How an agent is called for one attempt. The agent's own variables win over a preset's, and Carrel's over both. The
 * user's keys are only in the agent's own call: checks, validation and other agents run untrusted code in the same
 * sandbox.
 */
export function planInvocation(agent: ResolvedAgent, request: InvocationRequest): Invocation {
  const { promptFile, inputDir, outputDir, filesDir } = request.handoff;
  const { command, stdin, environment } = planProgram(agent, request);
  return {
    command,
    stdin,
    environment: {
      ...(request.isSandboxed ? pickOwn(agent, request.callerEnvironment) : {}),
      ...environment,
      ...agent.environment,
      CARREL_PROMPT_FILE: promptFile,
      CARREL_INPUT_DIR: inputDir,
      CARREL_OUTPUT_DIR: outputDir,
      CARREL_FILES_DIR: filesDir,
    },
  };
}

/** The user's keys and settings for this agent. */
function pickOwn(
  { program, passEnvironment }: ResolvedAgent,
  caller: Readonly<Record<string, string>>,
): Record<string, string> {
  const { keys, variables } =
    program.kind === 'preset' ? findPreset(program.preset) : { keys: [], variables: [] };
  const names = [...keys, ...variables, ...passEnvironment];
  return Object.fromEntries(
    names.flatMap(name => (caller[name] === undefined ? [] : [[name, caller[name]]])),
  );
}

/** A reader for the output of one run of the agent. */
export function createReader({ result }: ResolvedAgent): ResultReader {
  if (result === 'text') return createTextReader();
  return result === 'json' ? createJsonReader() : findPreset(result).createReader();
}

function planProgram(agent: ResolvedAgent, request: InvocationRequest): Invocation {
  const { program } = agent;
  if (program.kind === 'preset') return planPreset(agent, program, request);
  const { prompt } = request;
  const words = program.prompt === 'argument' ? [asArgument(request)] : [];
  return {
    command: planCommand(program.command, agent.arguments, words),
    stdin: program.prompt === 'stdin' ? prompt : undefined,
    environment: {},
  };
}

/** Bytes of one argument, with the NUL at its end; Linux has 128 KiB (MAX_ARG_STRLEN), other systems no less. */
const LONGEST_ARGUMENT = 128 * 1024;

/** A prompt that is too long for an argument is in the prompt file in any case. */
function asArgument({ prompt, handoff }: InvocationRequest): string {
  const argument = prompt.replaceAll('\0', '\uFFFD');
  if (Buffer.byteLength(argument) < LONGEST_ARGUMENT) return argument;
  return `Your task is in the file ${handoff.promptFile}. Read the whole file, then do the task.`;
}

/** Text goes to the shell, with the prompt as $1; a list gets it as its last argument. */
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
  { prompt, handoff, isSandboxed, budgetUsd }: InvocationRequest,
): Invocation {
  const preset = findPreset(name);
  const { promptFile, outputDir } = handoff;
  const further = agent.arguments;
  const request = { prompt, promptFile, outputDir, model, further, isSandboxed, budgetUsd };
  return {
    command: [preset.program, ...preset.arguments(request)],
    stdin: preset.prompt === 'stdin' ? prompt : undefined,
    environment: preset.environment(request),
  };
}
