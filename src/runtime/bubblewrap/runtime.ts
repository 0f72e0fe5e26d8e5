import { carrelError, isCarrelError } from '../../domain/error.js';
import type { RuntimeFinding } from '../../domain/runtime.js';
import { endSandbox, haltSandbox, resumeSandbox } from '../../exec/sandbox-control.js';
import { findSandboxRoots } from '../../exec/sandbox-processes.js';
import { findCgroupPlace } from '../limits/cgroup-place.js';
import { GROUPS_FOLDER } from '../limits/group.js';
import { listGroups, sweepGroups } from '../limits/remove-group.js';
import type { Policy } from '../policy.js';
import type { Runtime, Sandbox, SandboxCommand, SandboxResult } from '../runtime.js';
import { execInBubblewrap } from './exec.js';
import {
  type BubblewrapRuntimeOptions,
  createMachine,
  type Machine,
  type PreparedSandbox,
  prepareSandbox,
} from './prepare.js';
import { findObstacle, probeBubblewrap } from './probe.js';

/**
 * Every command has a bubblewrap of its own, which takes milliseconds, and with it everything that the command started
 * ends. What runs is found by a variable in the environment of the bubblewrap process on the host, which nothing inside
 * can see or change.
 */
export function createBubblewrapRuntime(options: BubblewrapRuntimeOptions): Runtime {
  const machine = createMachine(options);
  return {
    name: 'bubblewrap',
    capabilities: { isolates: true, images: false, overlays: false, longLived: false },
    probe: () => probeBubblewrap(machine),
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
    exec: command => exec(machine, sandbox, command),
    pause: () => haltSandbox('bubblewrap', id),
    resume: async () => resumeSandbox('bubblewrap', id),
  };
}

/** What did not come to start gets the reason that the machine gives, when it has one. */
async function exec(
  machine: Machine,
  sandbox: PreparedSandbox,
  command: SandboxCommand,
): Promise<SandboxResult> {
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
  await endSandbox('bubblewrap', id);
  const place = findCgroupPlace();
  if (place) sweepGroups(place, GROUPS_FOLDER);
}

function list(): string[] {
  const place = findCgroupPlace();
  const running = findSandboxRoots('bubblewrap').map(({ workspaceId }) => workspaceId);
  const all = new Set([...running, ...(place ? listGroups(place, GROUPS_FOLDER) : [])]);
  // Those of probes, which end by themselves.
  return [...all].filter(id => !id.startsWith('.'));
}
