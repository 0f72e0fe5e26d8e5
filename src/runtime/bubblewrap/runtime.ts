import type { CommandResult } from '../../domain/command/command.js';
import { carrelError, isCarrelError } from '../../domain/error/error.js';
import type { RuntimeFinding } from '../../domain/sandbox/runtime-finding.js';
import { haltSandbox, killSandbox, resumeSandbox } from '../../exec/stop/sandbox-control.js';
import { findSandboxRoots } from '../../exec/stop/sandbox-processes.js';
import { GROUPS_FOLDER } from '../limits/cgroup.js';
import { findCgroupPlace } from '../limits/cgroup-place.js';
import { cleanUpGroups, listGroups } from '../limits/remove-cgroup.js';
import { openOwnNetwork } from '../own-network/open-own-network.js';
import type { Policy } from '../policy.js';
import type { Runtime, Sandbox, SandboxCommand } from '../runtime.js';
import { execInBubblewrap } from './execute-command.js';
import {
  type BubblewrapRuntimeOptions,
  createMachine,
  type Machine,
  type PreparedSandbox,
  prepareSandbox,
} from './prepare-sandbox.js';
import { findObstacle, probeBubblewrap } from './probe.js';

/**
 * Every command has its own bubblewrap, which takes milliseconds; when it exits, everything that the command started is
 * killed. Running commands are found by a variable in the environment of the bubblewrap process on the host, which
 * nothing inside can see or change.
 */
export function createBubblewrapRuntime(options: BubblewrapRuntimeOptions): Runtime {
  const machine = createMachine(options);
  return {
    name: 'bubblewrap',
    capabilities: {
      isolates: true,
      images: false,
      overlays: false,
      longLived: false,
      mounts: true,
      namespaces: true,
    },
    probe: () => probeBubblewrap(machine),
    tryNetwork: async () => (await openOwnNetwork(options)).close(),
    open: (id, policy) => open(machine, id, policy),
    stop: id => stop(id),
    list: async () => list(),
  };
}

async function open(machine: Machine, id: string, policy: Policy): Promise<Sandbox> {
  const bubblewrap = await machine.locate();
  const obstacle = findObstacle(bubblewrap);
  if (!bubblewrap || obstacle) throw unavailable(obstacle as RuntimeFinding);
  const sandbox = await prepareSandbox(machine, bubblewrap, id, policy);
  return {
    run: command => runCommand(machine, sandbox, command),
    pause: () => haltSandbox('bubblewrap', id),
    resume: async () => resumeSandbox('bubblewrap', id),
  };
}

/** For a command that did not start, the error has the reason that the machine gives, if there is one. */
async function runCommand(
  machine: Machine,
  sandbox: PreparedSandbox,
  command: SandboxCommand,
): Promise<CommandResult> {
  try {
    return await execInBubblewrap(sandbox, command);
  } catch (error) {
    if (!isCarrelError(error, 'SANDBOX_REFUSED')) throw error;
    const finding = await probeBubblewrap(machine);
    throw finding.obstacle === null ? error : unavailable(finding, error);
  }
}

function unavailable({ obstacle, message, hint }: RuntimeFinding, cause?: unknown): Error {
  const details = { runtime: 'bubblewrap', obstacle: String(obstacle), problem: message, advice: hint };
  return carrelError('RUNTIME_UNAVAILABLE', details, cause);
}

async function stop(id: string): Promise<void> {
  await killSandbox('bubblewrap', id);
  const place = findCgroupPlace();
  if (place) cleanUpGroups(place, GROUPS_FOLDER);
}

function list(): string[] {
  const place = findCgroupPlace();
  const running = findSandboxRoots('bubblewrap').map(({ workspaceId }) => workspaceId);
  const all = new Set([...running, ...(place ? listGroups(place, GROUPS_FOLDER) : [])]);
  // Probes are left out; they exit by themselves.
  return [...all].filter(id => !id.startsWith('.'));
}
