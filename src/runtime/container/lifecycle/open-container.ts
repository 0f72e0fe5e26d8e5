import { setTimeout as delay } from 'node:timers/promises';
import type { ProcessIdentity } from '../../../domain/process-identity.js';
import { identifyProcess, isAlive } from '../../../exec/process/identify-process.js';
import { systemProcesses } from '../../../exec/process/process-table.js';
import { ENGINES, type Engine, lastLine } from '../engine/engine.js';
import { type ContainerState, engineFailed, inspectContainer } from '../engine/inspect-container.js';
import type { ContainerRecords, RunningContainer } from './container-record.js';

/** The container that a workspace should have. */
export interface WantedContainer {
  readonly workspaceId: string;
  readonly name: string;
  /** A hash of the arguments that it is created with: a container with another hash is recreated. */
  readonly policyHash: string;
  /** LIMIT_NOT_ENFORCEABLE; asks the engine only when necessary. */
  readonly requireLimits: () => Promise<void>;
  /** The arguments of `run`, determined only when it is created. */
  readonly arguments: () => Promise<readonly string[]>;
}

/** What a container runs until it is removed. As its first process, the shell also reaps orphans. */
export const SLEEPER = 'command -v sleep >/dev/null || exit 127; while :; do sleep 86400; done';

/** Another Carrel may create or remove it at the same time; in each round some process makes progress. */
const ATTEMPTS = 5;

/** The running container of a workspace, found or created. SANDBOX_REFUSED, and what creating its arguments throws. */
export async function openContainer(
  engine: Engine,
  records: ContainerRecords,
  wanted: WantedContainer,
): Promise<RunningContainer> {
  const record = await records.find(wanted.workspaceId);
  const known = record?.container;
  if (known?.policyHash === wanted.policyHash && isKnownToRun(known)) return known;
  // Without a record there is none.
  let problem = record ? 'it exited at once' : await makeContainer(engine, records, wanted);
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const state = await awaitStartedState(engine, wanted.name);
    if (state?.status === 'running' && state.policyHash === wanted.policyHash)
      return keepRecord(records, wanted, state);
    if (state) await removeContainer(engine, state);
    problem = (await makeContainer(engine, records, wanted)) ?? problem;
  }
  throw engineFailed(engine, problem ?? 'it exited at once');
}

/** Where its first process can't be seen, only the engine knows. */
const isKnownToRun = ({ main }: RunningContainer): boolean => main !== undefined && isAlive(main) === 'alive';

/**
 * Time for another Carrel to start a container that it created; after that, a container left by a dead process is
 * removed.
 */
const START_MS = 5000;

async function awaitStartedState(engine: Engine, name: string): Promise<ContainerState | undefined> {
  const deadline = performance.now() + START_MS;
  for (;;) {
    const state = await inspectContainer(engine, name);
    if (!state || !BEING_STARTED.has(state.status) || performance.now() > deadline) return state;
    await delay(50);
  }
}

const BEING_STARTED: ReadonlySet<string> = new Set(['created', 'configured', 'initialized', 'restarting']);

async function keepRecord(
  records: ContainerRecords,
  { workspaceId, policyHash }: WantedContainer,
  { id, pid }: ContainerState,
): Promise<RunningContainer> {
  const container = { id, policyHash, main: identifyMain(pid) };
  await records.put(workspaceId, { container });
  return container;
}

/**
 * The first process of a container, by the pid that its engine reports; undefined when it is not on this machine. On
 * macOS, and with Docker Desktop on Linux, containers run in a virtual machine, and another process of the user may
 * have that pid here: it must not be killed instead of the container. A process in a container has another pid
 * namespace than we have.
 */
export function identifyMain(pid: number, source = systemProcesses()): ProcessIdentity | undefined {
  if (pid <= 1 || source.namespaceOf(pid) === source.namespaceOf()) return undefined;
  return identifyProcess(pid, source);
}

/** Returns why it failed; the next check finds one that another process has created. */
async function makeContainer(
  engine: Engine,
  records: ContainerRecords,
  wanted: WantedContainer,
): Promise<string | undefined> {
  const args = await wanted.arguments();
  await records.put(wanted.workspaceId, {});
  const result = await engine.call(['run', '--detach', ...args]);
  return result.exitCode === 0 ? undefined : lastLine(result);
}

/** SANDBOX_REFUSED when it is still there afterwards. */
export async function removeContainer(engine: Engine, { id, status }: ContainerState): Promise<void> {
  // With control groups of version 1, frozen processes can't even be killed.
  if (status === 'paused') await engine.call(['unpause', id]);
  const result = await engine.call([...ENGINES[engine.name].removal, id]);
  if (result.exitCode === 0) return;
  if (await inspectContainer(engine, id)) throw engineFailed(engine, lastLine(result));
}
