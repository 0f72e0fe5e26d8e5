import { carrelError, errnoOf, isCarrelError } from '../domain/error.js';
import { createId } from '../domain/id.js';
import type { ExecResult } from '../domain/result.js';
import type { WorkspaceRecord } from '../domain/workspace.js';
import { commandEnvironment } from '../exec/environment.js';
import { identifyProcess } from '../exec/process-identity.js';
import { type RunResult, runProcess } from '../exec/run.js';
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
  /** Shows what comes from a sandbox, which is not to write to the terminal as it likes. */
  readonly screen?: Screen | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface Screen {
  /** Called before the command starts, when it is the screen that shows it. */
  readonly begin: () => void;
  readonly show: (stream: 'stdout' | 'stderr', chunk: Buffer) => void;
}

/** Runs a command in a workspace. Failing is a result. While it runs, removing the workspace refuses. */
export async function execInWorkspace(context: Context, input: ExecInput): Promise<ExecResult> {
  const record = await findWorkspace(context, input);
  await requireReady(context, record);
  const id = createId('op', context.ids);
  await touch(context, record);
  let recording = Promise.resolve();
  try {
    const result = await run(context, record, input, id, pid => {
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

async function run(
  context: Context,
  record: WorkspaceRecord,
  input: ExecInput,
  id: string,
  onStart: (pid: number) => void,
) {
  const [command, ...args] = input.command;
  if (!command)
    throw carrelError('INVALID_INPUT', { what: 'the command', found: 'empty', expected: 'a program to run' });
  if (record.sandbox) return runSandboxed(context, record, input, id, onStart);
  try {
    return await runProcess({
      command,
      args,
      cwd: record.path,
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
): Promise<RunResult> {
  const streams = screen
    ? ({ output: 'capture', onOutput: screen.show, maxOutputBytes: 0 } as const)
    : ({ output, stdin: output === 'inherit' ? 'inherit' : undefined } as const);
  screen?.begin();
  return runInside(context, record, { id, command, ...streams, terminal, timeoutMs, signal, onStart });
}

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

function describe(result: RunResult): ExecResult {
  const { exitCode, signal, timedOut, cancelled, truncated } = result;
  const durationMs = Math.round(result.durationMs);
  const stdout = result.stdout.toString('utf8');
  const stderr = result.stderr.toString('utf8');
  return { exitCode, signal, timedOut, cancelled, durationMs, stdout, stderr, truncated };
}
