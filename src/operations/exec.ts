import type { ExecResult } from '../domain/result.js';
import type { WorkspaceRecord } from '../domain/workspace.js';
import type { RunRequest } from '../exec/run.js';
import type { SandboxResult } from '../runtime/runtime.js';
import type { Context } from './context.js';
import { findWorkspace, type WorkspaceQuery } from './find.js';
import { type RecordedCommand, whileRecorded } from './record-command.js';
import { runInside } from './run-inside.js';
import { runOnHost } from './run-on-host.js';

export interface ExecInput extends WorkspaceQuery {
  readonly command: readonly string[];
  readonly timeoutMs?: number | undefined;
  readonly output: 'capture' | 'inherit';
  /** Whether the command itself is to have the terminal, also from within a sandbox. */
  readonly terminal?: boolean | undefined;
  /** How a sandbox is connected to the caller, instead of by what `output` says. */
  readonly screen?: Screen | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Given what is captured as it comes, for whoever keeps another part of it than the first `maxOutputBytes`. */
  readonly onOutput?: RunRequest['onOutput'];
  readonly maxOutputBytes?: number | undefined;
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
export async function execInWorkspace(context: Context, input: ExecInput): Promise<ExecResult> {
  const record = await findWorkspace(context, input);
  return whileRecorded(context, record, input.command, async recorded =>
    describe(
      record.sandbox
        ? await runSandboxed(context, record, input, recorded)
        : await runOnHost(context, record, recorded, { ...hostStreams(input), cwd: record.path }),
    ),
  );
}

/**
 * Runs a program of the user's own for a workspace, such as an editor: on the machine itself, also when the workspace has
 * a sandbox. Not in the files of one then: version managers and the like run what they find where they are started.
 */
export async function execForWorkspace(context: Context, input: ExecInput): Promise<ExecResult> {
  const record = await findWorkspace(context, input);
  const cwd = record.sandbox ? record.repository : record.path;
  return whileRecorded(context, record, input.command, async recorded =>
    describe(await runOnHost(context, record, recorded, { ...hostStreams(input), cwd })),
  );
}

const hostStreams = ({ command, output, onOutput, maxOutputBytes, timeoutMs, signal }: ExecInput) => ({
  command,
  output,
  onOutput,
  maxOutputBytes,
  stdin: output === 'inherit' ? ('inherit' as const) : undefined,
  timeoutMs,
  signal,
});

function runSandboxed(
  context: Context,
  record: WorkspaceRecord,
  { command, output, onOutput, maxOutputBytes, screen, terminal, timeoutMs, signal }: ExecInput,
  recorded: RecordedCommand,
): Promise<SandboxResult> {
  const streams = screen
    ? connectScreen(screen)
    : ({ output, onOutput, maxOutputBytes, stdin: output === 'inherit' ? 'inherit' : undefined } as const);
  screen?.begin();
  return runInside(context, record, { ...recorded, command, ...streams, terminal, timeoutMs, signal });
}

/** Bytes kept for saying why a sandbox did not start; the rest is shown only. */
const KEPT_BYTES = 64 * 1024;

const connectScreen = ({ show, stdin, handedOver }: Screen) =>
  ({ output: 'capture', onOutput: show, maxOutputBytes: KEPT_BYTES, stdin, handedOver }) as const;

function describe(result: SandboxResult): ExecResult {
  const { exitCode, signal, timedOut, cancelled, truncated, limit, sandboxDied } = result;
  const durationMs = Math.round(result.durationMs);
  const stdout = result.stdout.toString('utf8');
  const stderr = result.stderr.toString('utf8');
  const told = { ...(limit ? { limit } : {}), ...(sandboxDied ? { sandboxDied } : {}) };
  return { exitCode, signal, timedOut, cancelled, durationMs, stdout, stderr, truncated, ...told };
}
