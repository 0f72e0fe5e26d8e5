import type { Command, CommandResult } from '../domain/command/command.js';
import type { Environment } from '../domain/command/environment.js';
import { isCarrelError } from '../domain/error/error.js';
import type { Redactor } from '../domain/secret/redactor.js';
import { formatDuration } from '../domain/text/format-quantity.js';
import { type OnLine, runFollowed, splitLines } from './run-followed.js';

export interface ShellPlace {
  readonly environment: Environment;
  /** Secrets are redacted in all output. */
  readonly redactor: Redactor;
}

export interface ShellCommand extends ShellOptions {
  /** Shell text. */
  readonly text: string;
}

export interface ShellOptions extends Pick<Command, 'timeoutMs' | 'signal'> {
  /** Receives every line of output. */
  readonly onLine?: OnLine | undefined;
}

export interface ShellResult extends Pick<CommandResult, 'exitCode' | 'timedOut' | 'cancelled'> {
  readonly passed: boolean;
  /** How it ended, as text. */
  readonly ending: string;
  /** The end of both streams in the order they came, without control characters; may be empty. */
  readonly output: string;
}

/** Default time limit of a command. */
const LIMIT_MS = 15 * 60_000;
/** The part shown to the user and in the next prompt; the log has all of it. */
const TAIL_CHARACTERS = 4 * 1024;
const TAIL_LINES = 100;
/** Kept to explain why a sandbox did not start. */
const KEPT_BYTES = 64 * 1024;

/**
 * Runs one command that checks the work, in its workspace. Failing is a result, even when the command could not
 * start: because the workspace is gone, or the image has no shell.
 */
export async function runShell(
  { environment, redactor }: ShellPlace,
  request: ShellCommand,
): Promise<ShellResult> {
  const { text, timeoutMs = LIMIT_MS, signal, onLine } = request;
  try {
    const { result, tail } = await runFollowed(
      environment,
      { command: ['sh', '-c', text], timeoutMs, signal, maxOutputBytes: KEPT_BYTES },
      { redactor, tailLines: TAIL_LINES, readers: onLine && splitLines(onLine) },
    );
    return describe(result, timeoutMs, tail);
  } catch (error) {
    if (!isCarrelError(error) || error.kind === 'internal') throw error;
    return { ...NOT_RUN, ending: `could not run: ${error.message}` };
  }
}

const NOT_RUN = { passed: false, cancelled: false, timedOut: false, exitCode: null, output: '' } as const;

function describe(result: CommandResult, timeoutMs: number, output: string): ShellResult {
  const { exitCode, cancelled, timedOut } = result;
  return {
    passed: exitCode === 0 && !timedOut && !cancelled,
    cancelled,
    timedOut,
    exitCode,
    ending: nameEnding(result, timeoutMs),
    output: output.slice(-TAIL_CHARACTERS),
  };
}

function nameEnding(result: CommandResult, timeoutMs: number): string {
  const { exitCode, signal, cancelled, timedOut, limit, sandboxDied } = result;
  if (cancelled) return 'was cancelled';
  if (timedOut) return `did not finish within ${formatDuration(timeoutMs)}`;
  if (limit) return `reached the limit for ${limit}`;
  if (sandboxDied) return 'was killed with its sandbox';
  return exitCode === null ? `was killed by ${signal ?? 'a signal'}` : `exited with status ${exitCode}`;
}
