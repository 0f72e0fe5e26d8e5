import { PassThrough } from 'node:stream';
import type { CommandResult } from '../../domain/command/command.js';
import type { RunProcess } from '../../exec/run-process.js';

/** A program that runs while a command runs, until it is closed. */
export interface HelperProcess {
  readonly pid: number;
  /** Resolves when it has exited; idempotent. */
  close(): Promise<void>;
}

export interface HelperRequest {
  readonly run: RunProcess;
  readonly command: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  /** Whether its standard output so far shows that it is ready. */
  readonly isReady: (said: string) => boolean;
}

/** Longer than any needs on a busy machine; one that hangs must not block us. */
const START_MS = 20_000;

/**
 * Starts a program and waits until it is ready. It must exit at the end of its standard input, which the system closes
 * when this process dies. Rejects with its last line of output when it exits before.
 */
export async function startHelper({ run, command, env, isReady }: HelperRequest): Promise<HelperProcess> {
  const [program, ...args] = command;
  const stop = new AbortController();
  const stdin = new PassThrough();
  let pid = 0;
  let ended: Promise<unknown> = Promise.resolve();
  const close = async (): Promise<void> => {
    stdin.end();
    stop.abort();
    await ended;
  };
  const ready = new Promise<void>((resolve, reject) => {
    let said = '';
    const timer = setTimeout(() => reject(new Error(`${program} did not start in time`)), START_MS);
    const onOutput = (stream: 'stdout' | 'stderr', chunk: Buffer): void => {
      if (stream !== 'stdout') return;
      said += chunk.toString('latin1');
      if (isReady(said)) resolve();
    };
    const running = run({
      ...{ command: program, args, cwd: '/', env, stdin, onOutput, signal: stop.signal },
      descriptors: [],
      graceMs: 0,
      maxOutputBytes: 64 * 1024,
      onStart: started => {
        pid = started;
      },
    });
    ended = running
      .then(result => reject(new Error(lastErrorLine(result))), reject)
      .finally(() => clearTimeout(timer));
    // After success or failure the timer is not needed.
    void running.catch(() => undefined);
  });
  try {
    await ready;
  } catch (error) {
    await close();
    throw error;
  }
  return { pid, close };
}

const lastErrorLine = ({ stderr, stdout, exitCode }: CommandResult): string =>
  `${stdout}\n${stderr}`
    .split('\n')
    .filter(line => line !== '' && !REMARK.test(line))
    .at(-1) ?? `it exited with ${exitCode}`;

/** A remark that slirp4netns adds: the reason is in the line before. */
const REMARK = /^(parent|child) failed|^WARNING|^\* |^Starting|^(sent|received) tapfd/;
