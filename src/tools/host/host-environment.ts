import type { Environment } from '../../domain/command/environment.js';
import { commandEnvironment, type Variables } from '../../exec/command-environment.js';
import { COMMAND_ID_VARIABLE, trackTree } from '../../exec/process/process-tree.js';
import { toRunRequest } from '../../exec/process-environment.js';
import { runProcess } from '../../exec/run-process.js';
import { killTree } from '../../exec/stop/kill-tree.js';

export interface HostEnvironmentOptions {
  readonly workingDirectory: string;
  readonly environment: Variables;
  /** Unique: leftover processes of a command are found by it. */
  readonly createCommandId: () => string;
}

const GRACE_MS = 2000;

/** A directory on the host. Each command is killed with all its descendants; its output goes to its caller, none is kept. */
export const createHostEnvironment = (options: HostEnvironmentOptions): Environment => ({
  run: async command => {
    const directory = command.workingDirectory ?? options.workingDirectory;
    const marker = options.createCommandId();
    const variables = { ...command.environment, [COMMAND_ID_VARIABLE]: marker };
    const env = commandEnvironment(options.environment, { directory }, variables);
    let started: number | undefined;
    const onStart = (pid: number) => {
      started = pid;
    };
    try {
      const whole = { stdin: '', maxOutputBytes: 0, ...command, onStart };
      return await runProcess(toRunRequest(whole, { cwd: directory, env }));
    } finally {
      if (started !== undefined) await killWholeTree(started, marker);
    }
  },
});

async function killWholeTree(pid: number, marker: string): Promise<void> {
  if (trackTree({ pid }, marker).living().length > 0) await killTree({ pid }, { graceMs: GRACE_MS, marker });
}
