import type { RuntimeFinding } from '../../domain/runtime.js';
import type { RunRequest, RunResult } from '../../exec/run.js';
import { endSandbox, haltSandbox, resumeSandbox } from '../../exec/sandbox-control.js';
import { findSandboxRoots, sandboxVariables } from '../../exec/sandbox-processes.js';
import type { Policy } from '../policy.js';
import type { Runtime, SandboxCommand, SandboxResult } from '../runtime.js';
import { missingProgram } from './missing-program.js';

export interface HostRuntimeOptions {
  readonly run: (request: RunRequest) => Promise<RunResult>;
}

/**
 * The machine itself: nothing is between a command and it. Of the policy only environment, working directory and time
 * count; the caller, who chose it, knows that. A program that wipes its environment and leaves its parents is not found
 * by `pause`, `stop` and `list`.
 */
export function createHostRuntime(options: HostRuntimeOptions): Runtime {
  return {
    name: 'host',
    capabilities: { isolates: false, images: false, overlays: false, longLived: true },
    probe: async () => FINDING,
    open: async (id, policy) => ({
      exec: command => exec(options, id, policy, command),
      pause: () => haltSandbox('host', id),
      resume: async () => resumeSandbox('host', id),
    }),
    stop: id => endSandbox('host', id),
    list: async () => [...new Set(findSandboxRoots('host').map(({ workspaceId }) => workspaceId))],
  };
}

const FINDING: RuntimeFinding = {
  runtime: 'host',
  obstacle: null,
  version: null,
  message: 'commands run on the machine itself',
  hint: null,
  limits: ['time'],
  warnings: ['nothing protects the machine from what is run on it'],
};

async function exec(
  { run }: HostRuntimeOptions,
  id: string,
  policy: Policy,
  command: SandboxCommand,
): Promise<SandboxResult> {
  const [program = '', ...args] = command.command;
  const { command: _words, environment, workingDirectory, terminal: _terminal, ...rest } = command;
  const limit = policy.limits.time ?? Number.POSITIVE_INFINITY;
  const isLimited = limit < (command.timeoutMs ?? Number.POSITIVE_INFINITY);
  try {
    const result = await run({
      ...rest,
      command: program,
      args,
      cwd: workingDirectory ?? policy.workingDirectory,
      env: { ...policy.environment, ...environment, ...sandboxVariables('host', id) },
      timeoutMs: isLimited ? limit : command.timeoutMs,
    });
    return isLimited && result.timedOut ? { ...result, limit: 'time' } : result;
  } catch (error) {
    return missingProgram(program, error);
  }
}
