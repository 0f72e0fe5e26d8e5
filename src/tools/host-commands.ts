import { commandEnvironment, type Environment } from '../exec/environment.js';
import { killTree } from '../exec/kill-tree.js';
import { COMMAND_ID_VARIABLE, trackTree } from '../exec/process-tree.js';
import { runProcess } from '../exec/run.js';
import type { ToolHands } from './tool-hands.js';

export interface HostCommandOptions {
  readonly workingDirectory: string;
  readonly environment: Environment;
  /** Never the same twice: by it what a command leaves running is found. */
  readonly createCommandId: () => string;
}

const GRACE_MS = 2000;

/** Commands on the machine itself; each is ended with all that stems from it. */
export function createHostCommands(options: HostCommandOptions): ToolHands['run'] {
  return async ({ command: [command, ...args], timeoutMs, signal, onOutput }) => {
    const marker = options.createCommandId();
    let started: number | undefined;
    try {
      return await runProcess({
        command,
        args,
        cwd: options.workingDirectory,
        env: commandEnvironment(options.environment, { [COMMAND_ID_VARIABLE]: marker }),
        stdin: '',
        timeoutMs,
        signal,
        maxOutputBytes: 0,
        onOutput: (_, chunk) => onOutput(chunk),
        onStart: pid => {
          started = pid;
        },
      });
    } finally {
      if (started !== undefined) await endTree(started, marker);
    }
  };
}

async function endTree(pid: number, marker: string): Promise<void> {
  if (trackTree({ pid }, marker).living().length > 0) await killTree({ pid }, { graceMs: GRACE_MS, marker });
}
