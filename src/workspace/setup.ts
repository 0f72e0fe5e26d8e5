import { createHash } from 'node:crypto';
import { carrelError } from '../domain/error.js';
import type { RunRequest, RunResult } from '../exec/run.js';
import { createOutputTail } from './output-tail.js';

/** Stands for exactly these commands in exactly this order. JSON keeps `["a", "b"]` and `["a\nb"]` apart. */
export function trustDigest(commands: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(commands)).digest('hex');
}

export interface SetupRun {
  readonly commands: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** For each command. */
  readonly timeoutMs: number;
  readonly run: (request: RunRequest) => Promise<RunResult>;
  readonly narrate: (line: string) => void;
  readonly signal?: AbortSignal | undefined;
}

/** Runs the commands one after the other, each by `/bin/sh`. SETUP_FAILED at the first that fails. */
export async function runSetup(setup: SetupRun): Promise<void> {
  for (const command of setup.commands) {
    setup.narrate(`setup: ${command}`);
    const tail = createOutputTail();
    const result = await setup.run({
      command: '/bin/sh',
      args: ['-c', command],
      cwd: setup.cwd,
      env: setup.env,
      timeoutMs: setup.timeoutMs,
      signal: setup.signal,
      onOutput: (_, chunk) => tail.add(chunk),
      maxOutputBytes: 0,
    });
    setup.signal?.throwIfAborted();
    const { exitCode, timedOut } = result;
    if (exitCode !== 0)
      throw carrelError('SETUP_FAILED', { command, exitCode, output: tail.text(), timedOut });
  }
}
