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
  /** Of it a sandboxed agent is given what it is entitled to; on the host it has all of it anyway. */
  readonly callerEnvironment: Readonly<Record<string, string>>;
  /** US dollars that are left to it; undefined for no limit. */
  readonly budgetUsd?: number | undefined;
}

/**
 * How an agent is called for one attempt. The agent's own variables win over a preset's, and Carrel's over both. The
 * user's keys for it are in its own call and nowhere else: checks, validation and other agents run code that may be
 * anybody's, in the same sandbox.
 */
export function planInvocation(agent: ResolvedAgent, request: InvocationRequest): Invocation {
  const { promptFile, inputDir, outputDir, filesDir } = request.desk;
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

/** Keys and settings of the user's that are meant for this agent. */
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

/** A reader for what one run of the agent prints. */
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

/** What is longer than an argument can be is in the prompt file in any case. */
function asArgument({ prompt, desk }: InvocationRequest): string {
  const argument = prompt.replaceAll('\0', '\uFFFD');
  if (Buffer.byteLength(argument) < LONGEST_ARGUMENT) return argument;
  return `What you are to do is in the file ${desk.promptFile}. Read all of it, then do it.`;
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
  { prompt, desk, isSandboxed, budgetUsd }: InvocationRequest,
): Invocation {
  const preset = findPreset(name);
  const { promptFile, outputDir } = desk;
  const further = agent.arguments;
  const request = { prompt, promptFile, outputDir, model, further, isSandboxed, budgetUsd };
  return {
    command: [preset.program, ...preset.arguments(request)],
    stdin: preset.prompt === 'stdin' ? prompt : undefined,
    environment: preset.environment(request),
  };
}
