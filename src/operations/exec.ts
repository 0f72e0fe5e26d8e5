import { carrelError, errnoOf, isCarrelError } from '../domain/error.js';
import { createId } from '../domain/id.js';
import type { ExecResult } from '../domain/result.js';
import type { WorkspaceRecord } from '../domain/workspace.js';
import { commandEnvironment } from '../exec/environment.js';
import { identifyProcess } from '../exec/process-identity.js';
import { type RunRequest, type RunResult, runProcess } from '../exec/run.js';
import type { SandboxResult } from '../runtime/runtime.js';
import { workspaceVariables } from '../workspace/environment.js';
import type { Context } from './context.js';
import { findWorkspace, type WorkspaceQuery } from './find.js';
import { requireReady } from './require-ready.js';
import { runInside } from './run-inside.js';

export interface ExecInput extends WorkspaceQuery {
  readonly command: readonly string[];
  readonly timeoutMs?: number | undefined;
  readonly output: 'capture' | 'inherit';
  /** Whether the command itself is to have the terminal, also from within a sandbox. */
  readonly terminal?: boolean | undefined;
  /** How a sandbox is connected to the caller, instead of by what `output` says. */
  readonly screen?: Screen | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Stands between a sandbox and the terminal, which what is inside is neither to hold nor to steer. */
export interface Screen {
  /** Called before the command starts, when it is the screen that shows it. */
  readonly begin: () => void;
  readonly show: (stream: 'stdout' | 'stderr', chunk: Buffer) => void;
  readonly stdin: RunRequest['stdin'];
  /** The streams that need nobody to show them, because they go to no terminal. */
  readonly handedOver: RunRequest['handedOver'];
}

/** Runs a command in a workspace. Failing is a result. While it runs, removing the workspace refuses. */
export function execInWorkspace(context: Context, input: ExecInput): Promise<ExecResult> {
  return whileRecorded(context, input, (record, id, onStart) =>
    record.sandbox
      ? runSandboxed(context, record, input, id, onStart)
      : runOnHost(context, record, input, { id, cwd: record.path, onStart }),
  );
}

/**
 * Runs a program of the user's own for a workspace, such as an editor: on the machine itself, also when the workspace has
 * a sandbox. Not in the files of one then: version managers and the like run what they find where they are started.
 */
export function execForWorkspace(context: Context, input: ExecInput): Promise<ExecResult> {
  return whileRecorded(context, input, (record, id, onStart) => {
    const cwd = record.sandbox ? record.repository : record.path;
    return runOnHost(context, record, input, { id, cwd, onStart });
  });
}

async function whileRecorded(
  context: Context,
  input: ExecInput,
  run: (record: WorkspaceRecord, id: string, onStart: (pid: number) => void) => Promise<SandboxResult>,
): Promise<ExecResult> {
  const record = await findWorkspace(context, input);
  await requireReady(context, record);
  if (!input.command[0])
    throw carrelError('INVALID_INPUT', { what: 'the command', found: 'empty', expected: 'a program to run' });
  const id = createId('op', context.ids);
  await touch(context, record);
  let recording = Promise.resolve();
  try {
    const result = await run(record, id, pid => {
      recording = recordCommand(context, record, id, pid, input.command.join(' '));
    });
    return describe(result);
  } finally {
    await recording;
    await forget(context, record, id);
  }
}

/** The command has run: that its end can't be recorded, because the disk is full now, does not change how it went. */
async function forget(context: Context, record: WorkspaceRecord, id: string): Promise<void> {
  try {
    await context.store.commands.remove(id);
    await touch(context, record);
  } catch (error) {
    if (!isCarrelError(error)) throw error;
    context.narrate(`warning: the end of the command could not be recorded: ${error.message}`);
  }
}

interface HostRun {
  readonly id: string;
  readonly cwd: string;
  readonly onStart: (pid: number) => void;
}

async function runOnHost(
  context: Context,
  record: WorkspaceRecord,
  input: ExecInput,
  { id, cwd, onStart }: HostRun,
): Promise<RunResult> {
  const [command, ...args] = input.command as [string, ...string[]];
  try {
    return await runProcess({
      command,
      args,
      cwd,
      env: { ...commandEnvironment(context.environment, workspaceVariables(record)), CARREL_COMMAND_ID: id },
      output: input.output,
      stdin: input.output === 'inherit' ? 'inherit' : undefined,
      timeoutMs: input.timeoutMs,
      signal: input.signal,
      onStart,
    });
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT' && errnoOf(error) !== 'EACCES') throw error;
    const problem = errnoOf(error) === 'ENOENT' ? 'it was not found' : 'it may not be executed';
    throw carrelError('PROGRAM_MISSING', { program: command, problem, workspace: record.name }, error);
  }
}

function runSandboxed(
  context: Context,
  record: WorkspaceRecord,
  { command, output, screen, terminal, timeoutMs, signal }: ExecInput,
  id: string,
  onStart: (pid: number) => void,
): Promise<SandboxResult> {
  const streams = screen
    ? connectScreen(screen)
    : ({ output, stdin: output === 'inherit' ? 'inherit' : undefined } as const);
  screen?.begin();
  return runInside(context, record, { id, command, ...streams, terminal, timeoutMs, signal, onStart });
}

/** Bytes kept for saying why a sandbox did not start; the rest is shown only. */
const KEPT_BYTES = 64 * 1024;

const connectScreen = ({ show, stdin, handedOver }: Screen) =>
  ({ output: 'capture', onOutput: show, maxOutputBytes: KEPT_BYTES, stdin, handedOver }) as const;

async function recordCommand(
  context: Context,
  record: WorkspaceRecord,
  id: string,
  pid: number,
  command: string,
): Promise<void> {
  const process = identifyProcess(pid);
  if (!process) return;
  const startedAt = new Date(context.now()).toISOString();
  await context.store.commands.insert({ id, workspaceId: record.id, process, command, startedAt });
}

const touch = (context: Context, record: WorkspaceRecord): Promise<void> =>
  context.store.workspaces.touch(record.id, new Date(context.now()).toISOString());

function describe(result: SandboxResult): ExecResult {
  const { exitCode, signal, timedOut, cancelled, truncated, limit, sandboxDied } = result;
  const durationMs = Math.round(result.durationMs);
  const stdout = result.stdout.toString('utf8');
  const stderr = result.stderr.toString('utf8');
  const told = { ...(limit ? { limit } : {}), ...(sandboxDied ? { sandboxDied } : {}) };
  return { exitCode, signal, timedOut, cancelled, durationMs, stdout, stderr, truncated, ...told };
}
