import type { Readable, Writable } from 'node:stream';
import type { LimitName } from '../sandbox/runtime-finding.js';

/** A command to run in an environment. */
export interface Command extends CommandHandling {
  /** Program and arguments, as seen where it runs. */
  readonly command: readonly string[];
  /** In addition to the environment's variables. */
  readonly environment?: Readonly<Record<string, string>> | undefined;
  /** Instead of the environment's; as seen where it runs. */
  readonly workingDirectory?: string | undefined;
  /** False for a short command of Carrel's own, which leaves nothing running. */
  readonly endsLeftovers?: boolean | undefined;
}

/** How a command is fed, read and stopped, wherever it runs. */
export interface CommandHandling {
  readonly stdin?: string | Buffer | Readable | 'inherit' | SharedEnd | undefined;
  /**
   * `inherit` hands the terminal over and keeps the child in our process group, so that Ctrl-C and job control work. A
   * shared end takes standard output alone; standard error is captured.
   */
  readonly output?: 'capture' | 'inherit' | SharedEnd | undefined;
  /** With `capture`: streams of this process that the command still gets directly, in its own session. */
  readonly handedOver?: readonly StreamName[] | undefined;
  /**
   * Called with every piece of output as it comes, before the cap. While a promise that it gives is open, nothing more is
   * read of that stream: a program that writes faster than that waits.
   */
  readonly onOutput?: ((stream: StreamName, chunk: Buffer) => void | Promise<void>) | undefined;
  /** Milliseconds until all of it is killed. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Bytes kept of each stream; the rest is read and dropped. Default 64 MiB. */
  readonly maxOutputBytes?: number | undefined;
  /** Milliseconds between SIGTERM and SIGKILL. Default 2,000. */
  readonly graceMs?: number | undefined;
  /** Called once with the pid of a process on the host that lives as long as the command. */
  readonly onStart?: ((pid: number) => void) | undefined;
}

export type StreamName = 'stdout' | 'stderr';

/**
 * One end of a pipe to another child, given to this one as it is: what flows through it never passes through our memory.
 * Our own copy is closed once the child has it.
 */
export interface SharedEnd {
  readonly share: Readable | Writable;
}

/** How a command ended. Failing, being timed out and being cancelled are results, not exceptions. */
export interface CommandResult {
  /** Null when it was killed by a signal. */
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: Buffer;
  readonly stderr: Buffer;
  /** Whether more was printed than is kept. */
  readonly truncated: boolean;
  readonly timedOut: boolean;
  readonly cancelled: boolean;
  readonly durationMs: number;
  /** Pids that could not be killed after a timeout or a cancel; only set when there are any. */
  readonly survivors?: readonly number[];
  /** The sandbox limit that ended the command or that it reached, if known. */
  readonly limit?: LimitName | undefined;
  /** The sandbox died before the command finished: it was killed from outside, or its engine stopped. */
  readonly sandboxDied?: boolean | undefined;
  /** Processes that the command left running and that were killed; undefined where they are not counted. */
  readonly leftovers?: number | undefined;
}
