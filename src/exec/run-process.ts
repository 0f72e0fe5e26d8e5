import { finished, type Readable, type Writable } from 'node:stream';
import type { CommandHandling, CommandResult } from '../domain/command/command.js';
import { captureOutput } from './child/capture-output.js';
import { type Child, startChild } from './child/start-child.js';
import { createEarlyStop, type EarlyStop } from './child/stop-child-early.js';
import { type ChildExit, drainOutput, watchExit } from './child/watch-exit.js';

/**
 * A process to start on the host. Its environment is exactly `env`, nothing is inherited; PWD in it becomes `cwd`, and
 * OLDPWD is removed.
 */
export interface RunRequest extends CommandHandling {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** With a CARREL_COMMAND_ID in it, killing the tree also finds daemons that left it (see process-tree.ts). */
  readonly env: Readonly<Record<string, string>>;
  /** These descriptors of this process become 3, 4, ... of the child, which gets no others above 2. */
  readonly descriptors?: readonly number[] | undefined;
  /**
   * Called with the child's standard input and output once it runs, to be joined with another program's (see
   * join-processes.ts); neither is fed or captured then.
   */
  readonly join?: ((ends: ProgramEnds) => void) | undefined;
}

/** The type of `runProcess`, for callers that receive it. */
export type RunProcess = (request: RunRequest) => Promise<CommandResult>;

/** Standard input and output of a running program, as seen from our side. */
export interface ProgramEnds {
  readonly stdin: Writable;
  readonly stdout: Readable;
}

/**
 * Runs a program and returns the result after it has exited; descendants that it leaves running are left alone. After a
 * timeout or a cancel it returns the result when the whole tree is dead. Rejects with NO_SUCH_DIRECTORY when `cwd` is
 * not a directory, with the errno error when the command can't be started, and with the error of a callback or of the
 * stdin stream after the tree was killed.
 */
export async function runProcess(request: RunRequest): Promise<CommandResult> {
  const startedAt = performance.now();
  if (request.signal?.aborted) return NEVER_STARTED;
  const child = await startChild(request);
  const exit = watchExit(child);
  const early = createEarlyStop(child.pid, request);
  const output = captureOutput(child, request, early.fail);
  feedStdin(child, request.stdin, early.fail);
  announce(child, request, early);

  const { exitCode, signal } = await Promise.race([exit.exited, early.rootSurvived.then(() => NO_EXIT)]);
  const survivors = await early.finish();
  // The output callback may never finish; after we have killed the program it is not awaited.
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

/**
 * Writes the child's standard input. If the child does not read all of it (EPIPE), that is fine. If the source fails,
 * `fail` is called and the child never sees an end of input: otherwise it would treat the incomplete input as complete.
 */
function feedStdin(child: Child, stdin: RunRequest['stdin'], fail: (error: unknown) => void): void {
  if (!child.stdin || stdin === undefined || stdin === 'inherit') return;
  child.stdin.on('error', () => {});
  if (typeof stdin === 'string' || Buffer.isBuffer(stdin)) child.stdin.end(stdin);
  else if (!('share' in stdin)) connect(stdin, child.stdin, fail);
}

/** Not `pipeline`: it would end the child's input when the source fails, and report the child's EPIPE to the source. */
function connect(source: Readable, target: Writable, fail: (error: unknown) => void): void {
  finished(source, { writable: false }, error => {
    if (error && !target.destroyed) fail(error);
  });
  target.once('close', () => source.destroy());
  source.pipe(target);
}

const NO_EXIT: ChildExit = { exitCode: null, signal: null };

const NEVER_STARTED: CommandResult = {
  ...NO_EXIT,
  stdout: Buffer.alloc(0),
  stderr: Buffer.alloc(0),
  truncated: false,
  timedOut: false,
  cancelled: true,
  durationMs: 0,
};

function announce(child: Child, request: RunRequest, early: EarlyStop): void {
  try {
    if (child.stdin && child.stdout) request.join?.({ stdin: child.stdin, stdout: child.stdout });
    request.onStart?.(child.pid);
  } catch (error) {
    early.fail(error);
  }
}
