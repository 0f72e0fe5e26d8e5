import { createLineSplitter } from '../agent/line-splitter.js';
import { isCarrelError } from '../domain/error.js';
import { formatDuration } from '../domain/quantity.js';
import type { WorkspaceRecord } from '../domain/workspace.js';
import type { Context } from '../operations/context.js';
import { type CommandResult, runCommand } from '../operations/run-command.js';
import { createOutputTail } from '../workspace/output-tail.js';

export interface ShellRequest {
  /** Text for the shell. */
  readonly command: string;
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onLine?: OnLine | undefined;
}

/** Gets every line of output as it comes. */
export type OnLine = (stream: 'stdout' | 'stderr', text: string) => void;

export interface ShellResult {
  readonly passed: boolean;
  readonly cancelled: boolean;
  readonly timedOut: boolean;
  readonly exitCode: number | null;
  /** How it ended, in words. */
  readonly ending: string;
  /** The end of both streams in the order they came, without control characters; may be empty. */
  readonly output: string;
}

/** A command that takes longer than this hangs, unless somebody knows better. */
const LIMIT_MS = 15 * 60_000;
/** What a person reads and the next prompt holds; the log has all of it. */
const TAIL_CHARACTERS = 4 * 1024;
const TAIL_LINES = 100;
/** Kept for saying why a sandbox did not start. */
const KEPT_BYTES = 64 * 1024;

/**
 * Runs one command that judges the work, where the work was done. Failing is a result, also when the command could not
 * be run at all: because the workspace is gone, or there is no shell in the image.
 */
export async function runShell(
  context: Context,
  record: WorkspaceRecord,
  request: ShellRequest,
): Promise<ShellResult> {
  const tail = createOutputTail(TAIL_LINES);
  const lines = splitLines(request.onLine);
  const { timeoutMs = LIMIT_MS } = request;
  try {
    const result = await runCommand(context, record, {
      command: ['sh', '-c', request.command],
      timeoutMs,
      signal: request.signal,
      maxOutputBytes: KEPT_BYTES,
      onOutput: (stream, chunk) => {
        tail.add(chunk);
        lines.add(stream, chunk);
      },
    });
    lines.end();
    return describe(result, timeoutMs, tail.text());
  } catch (error) {
    if (!isCarrelError(error) || error.kind === 'internal') throw error;
    return { ...NOT_RUN, ending: `could not be run: ${error.message}` };
  }
}

function splitLines(onLine: OnLine | undefined) {
  if (!onLine) return { add: () => undefined, end: () => undefined };
  const splitters = {
    stdout: createLineSplitter(text => onLine('stdout', text)),
    stderr: createLineSplitter(text => onLine('stderr', text)),
  };
  return {
    add: (stream: 'stdout' | 'stderr', chunk: Buffer) => splitters[stream].add(chunk),
    end: () => {
      for (const splitter of Object.values(splitters)) splitter.end();
    },
  };
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
  if (timedOut) return `did not end within ${formatDuration(timeoutMs)}`;
  if (limit) return `ran into the limit of ${limit}`;
  if (sandboxDied) return 'was ended with its sandbox';
  return exitCode === null ? `was ended by ${signal ?? 'a signal'}` : `ended with exit status ${exitCode}`;
}
