import type { Command, CommandResult } from '../../domain/command/command.js';
import type { ExecResult } from '../../domain/report/result.js';
import type { Context } from '../context.js';
import { findWorkspace, type WorkspaceQuery } from '../workspace/find-workspace.js';
import { openUserEnvironment, type UserCommand } from './workspace-environment.js';

export interface ExecInput extends WorkspaceQuery, Omit<UserCommand, 'beforeStart'> {
  readonly output: 'capture' | 'inherit';
  /** How a sandbox is connected to the caller, instead of by what `output` says. */
  readonly screen?: Screen | undefined;
}

/** Sits between a sandbox and the terminal, so that programs inside can neither hold nor control it. */
export interface Screen {
  /** Called before the command starts, when this screen shows its output. */
  readonly begin: () => void;
  readonly show: (stream: 'stdout' | 'stderr', chunk: Buffer) => void;
  readonly stdin: Command['stdin'];
  /** The streams that don't go to a terminal and need no screen. */
  readonly handedOver: Command['handedOver'];
}

/** Runs a command in a workspace. A failure is a result. While it runs, removing the workspace is refused. */
export async function execInWorkspace(context: Context, input: ExecInput): Promise<ExecResult> {
  const record = await findWorkspace(context, input);
  const screen = record.sandbox && input.screen;
  const command = { ...commandOf(input), ...(screen && connectScreen(screen)) };
  return describe(await openUserEnvironment(context, record).run(command));
}

/**
 * Runs one of the user's own programs for a workspace, such as an editor: on the host, even when the workspace has a sandbox. Not in
 * the workspace's directory then: version managers and similar tools run what they find where they start.
 */
export async function execForWorkspace(context: Context, input: ExecInput): Promise<ExecResult> {
  const record = await findWorkspace(context, input);
  const workingDirectory = record.sandbox ? record.repository : record.path;
  const environment = openUserEnvironment(context, record, { isOnHost: true });
  return describe(await environment.run({ ...commandOf(input), workingDirectory, isForPerson: true }));
}

const commandOf = (input: ExecInput): UserCommand => {
  const { command, output, onOutput, maxOutputBytes, terminal, timeoutMs, signal, isForPerson } = input;
  const stdin = output === 'inherit' ? 'inherit' : undefined;
  return { command, output, onOutput, maxOutputBytes, stdin, terminal, timeoutMs, signal, isForPerson };
};

/** Bytes kept to report why a sandbox did not start; the rest is only shown. */
const KEPT_BYTES = 64 * 1024;

const connectScreen = ({ begin, show, stdin, handedOver }: Screen) =>
  ({
    output: 'capture',
    onOutput: show,
    maxOutputBytes: KEPT_BYTES,
    stdin,
    handedOver,
    beforeStart: begin,
  }) as const;

function describe(result: CommandResult): ExecResult {
  const { exitCode, signal, timedOut, cancelled, truncated, limit, sandboxDied } = result;
  const durationMs = Math.round(result.durationMs);
  const stdout = result.stdout.toString('utf8');
  const stderr = result.stderr.toString('utf8');
  const details = { ...(limit ? { limit } : {}), ...(sandboxDied ? { sandboxDied } : {}) };
  return { exitCode, signal, timedOut, cancelled, durationMs, stdout, stderr, truncated, ...details };
}
