import { createHash } from 'node:crypto';
import type { Environment } from '../../domain/command/environment.js';
import { carrelError } from '../../domain/error/error.js';
import { createOutputTail } from './output-tail.js';

/** Identifies exactly these commands in this order. JSON distinguishes `["a", "b"]` from `["a\nb"]`. */
export function trustDigest(commands: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(commands)).digest('hex');
}

export interface SetupRun {
  readonly commands: readonly string[];
  /** Of the workspace. */
  readonly environment: Environment;
  /** For each command. */
  readonly timeoutMs: number;
  readonly narrate: (line: string) => void;
  readonly signal?: AbortSignal | undefined;
}

/** Runs the commands one after the other, each by `/bin/sh`. SETUP_FAILED at the first that fails. */
export async function runSetup(setup: SetupRun): Promise<void> {
  for (const command of setup.commands) {
    setup.narrate(`setup: ${command}`);
    const tail = createOutputTail();
    const result = await setup.environment.run({
      command: ['/bin/sh', '-c', command],
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
