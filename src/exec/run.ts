import type { Readable, Writable } from 'node:stream';
import { captureOutput } from './capture-output.js';
import { createEarlyEnd, type EarlyEnd } from './early-end.js';
import { feedStdin } from './feed-stdin.js';
import { type Child, startChild } from './start-child.js';
import { type ChildExit, drainOutput, watchExit } from './watch-exit.js';

/** What to run. The environment is exactly `env`: nothing is inherited. */
export interface RunRequest {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** A CARREL_COMMAND_ID in it lets ending the tree find daemons that left it (see process-tree.ts). */
  readonly env: Readonly<Record<string, string>>;
  readonly stdin?: string | Buffer | Readable | 'inherit' | SharedEnd | undefined;
  /**
   * `inherit` hands the terminal over and keeps the child in our process group, so that Ctrl-C and job control work. A
   * shared end takes standard output alone; standard error is captured.
   */
  readonly output?: 'capture' | 'inherit' | SharedEnd | undefined;
  /** With `capture`: what the child gets of ours as it is all the same, in a session of its own nevertheless. */
  readonly handedOver?: readonly ('stdout' | 'stderr')[] | undefined;
  /** When given, these descriptors of ours are 3, 4, ... of the child, and of all others above 2 it sees nothing. */
  readonly descriptors?: readonly number[] | undefined;
  /**
   * Called with the child's standard input and output once it runs, to be joined with another program's (see
   * join-processes.ts); neither is fed or captured then.
   */
  readonly join?: ((ends: ProgramEnds) => void) | undefined;
  /**
   * Called with every piece of output as it comes, before the cap. While a promise that it gives is open, nothing more is
   * read of that stream: a program that writes faster than that waits.
   */
  readonly onOutput?: ((stream: 'stdout' | 'stderr', chunk: Buffer) => void | Promise<void>) | undefined;
  /** Milliseconds until the whole tree is ended. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Bytes kept of each stream; the rest is read and dropped. Default 64 MiB. */
  readonly maxOutputBytes?: number | undefined;
  /** Milliseconds between SIGTERM and SIGKILL. Default 2,000. */
  readonly graceMs?: number | undefined;
  /** Called with the pid of the child once it runs. */
  readonly onStart?: ((pid: number) => void) | undefined;
}

/**
 * One end of a pipe to another child, given to this one as it is: what flows through it never passes through our memory.
 * Our own copy is closed once the child has it.
 */
export interface SharedEnd {
  readonly share: Readable | Writable;
}

/** Standard input and output of a running program, as seen from our side. */
export interface ProgramEnds {
  readonly stdin: Writable;
  readonly stdout: Readable;
}

/** How it went. Failing, being timed out and being cancelled are results, not exceptions. */
export interface RunResult {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: Buffer;
  readonly stderr: Buffer;
  readonly truncated: boolean;
  readonly timedOut: boolean;
  readonly cancelled: boolean;
  readonly durationMs: number;
  /** Pids that could not be ended after a time-out or a cancel; there only when there are any. */
  readonly survivors?: readonly number[];
}

/**
 * Runs a program and gives the result once it has exited; descendants that it leaves running are left alone. After a
 * time-out or a cancel it gives the result once the whole tree is dead.
 *
 * Rejects with NO_SUCH_DIRECTORY when `cwd` is none, with the errno error when the command can't be started, and with
 * the error of a callback or of the stdin stream, after the tree was ended.
 */
export async function runProcess(request: RunRequest): Promise<RunResult> {
  const startedAt = performance.now();
  if (request.signal?.aborted) return NEVER_STARTED;
  const child = await startChild(request);
  const exit = watchExit(child);
  const early = createEarlyEnd(child.pid, request);
  const output = captureOutput(child, request, early.fail);
  feedStdin(child, request.stdin, early.fail);
  announce(child, request, early);

  const { exitCode, signal } = await Promise.race([exit.exited, early.rootSurvived.then(() => NO_EXIT)]);
  const survivors = await early.finish();
  // Who takes the output may never come to an end; after ours nobody waits for that.
  await drainOutput(child, exit.closed, early.reason() === undefined ? output.taking : () => undefined);
  early.throwFailure();
  return {
    exitCode,
    signal,
    ...output.take(),
    timedOut: early.reason() === 'timed-out',
    cancelled: early.reason() === 'cancelled',
    durationMs: performance.now() - startedAt,
    ...(survivors.length > 0 ? { survivors } : {}),
  };
}

const NO_EXIT: ChildExit = { exitCode: null, signal: null };

const NEVER_STARTED: RunResult = {
  ...NO_EXIT,
  stdout: Buffer.alloc(0),
  stderr: Buffer.alloc(0),
  truncated: false,
  timedOut: false,
  cancelled: true,
  durationMs: 0,
};

function announce(child: Child, request: RunRequest, early: EarlyEnd): void {
  try {
    if (child.stdin && child.stdout) request.join?.({ stdin: child.stdin, stdout: child.stdout });
    request.onStart?.(child.pid);
  } catch (error) {
    early.fail(error);
  }
}
