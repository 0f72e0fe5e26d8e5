import type { CommandResult } from '../../domain/command/command.js';
import { errnoOf } from '../../domain/error/error.js';
import type { RuntimeFinding } from '../../domain/sandbox/runtime-finding.js';
import { toRunRequest } from '../../exec/process-environment.js';
import type { RunProcess } from '../../exec/run-process.js';
import { haltSandbox, killSandbox, resumeSandbox } from '../../exec/stop/sandbox-control.js';
import { findSandboxRoots, sandboxVariables } from '../../exec/stop/sandbox-processes.js';
import type { Policy } from '../policy.js';
import type { Runtime, SandboxCommand } from '../runtime.js';

export interface HostRuntimeOptions {
  readonly run: RunProcess;
}

/**
 * The machine itself: nothing isolates a command. Of the policy only environment, working directory and time apply; the
 * caller, who chose this, knows that. A program that wipes its environment and leaves its parents is not found by
 * `pause`, `stop` and `list`.
 */
export function createHostRuntime(options: HostRuntimeOptions): Runtime {
  return {
    name: 'host',
    capabilities: {
      isolates: false,
      images: false,
      overlays: false,
      longLived: true,
      mounts: false,
      namespaces: false,
    },
    probe: async () => FINDING,
    open: async (id, policy) => ({
      run: command => runCommand(options, id, policy, command),
      pause: () => haltSandbox('host', id),
      resume: async () => resumeSandbox('host', id),
    }),
    stop: id => killSandbox('host', id),
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

async function runCommand(
  { run }: HostRuntimeOptions,
  id: string,
  policy: Policy,
  command: SandboxCommand,
): Promise<CommandResult> {
  const { terminal: _, ...rest } = command;
  const limit = policy.limits.time ?? Number.POSITIVE_INFINITY;
  const isLimited = limit < (command.timeoutMs ?? Number.POSITIVE_INFINITY);
  try {
    const request = toRunRequest(rest, {
      cwd: policy.workingDirectory,
      env: { ...policy.environment, ...command.environment, ...sandboxVariables('host', id) },
    });
    const result = await run({ ...request, timeoutMs: isLimited ? limit : command.timeoutMs });
    return isLimited && result.timedOut ? { ...result, limit: 'time' } : result;
  } catch (error) {
    return missingProgram(command.command[0] ?? '', error);
  }
}

/** A missing program gives the same result as in every sandbox: 127, and 126 when it is not executable. */
function missingProgram(program: string, error: unknown): CommandResult {
  const status = STATUSES[errnoOf(error) ?? ''];
  if (status === undefined) throw error;
  const problem = status === 127 ? 'not found' : 'permission denied';
  return {
    exitCode: status,
    signal: null,
    stdout: Buffer.alloc(0),
    stderr: Buffer.from(`${program} cannot be started: ${problem}\n`),
    truncated: false,
    timedOut: false,
    cancelled: false,
    durationMs: 0,
  };
}

const STATUSES: Readonly<Record<string, number>> = { ENOENT: 127, EACCES: 126, ENOEXEC: 126 };
