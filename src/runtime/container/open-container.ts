import { setTimeout as delay } from 'node:timers/promises';
import { identifyProcess, isAlive } from '../../exec/process-identity.js';
import type { ContainerRecords, RunningContainer } from './container-record.js';
import { ENGINES, type Engine, lastLine } from './engine.js';
import { type ContainerState, engineFailed, inspectContainer } from './inspect.js';

/** The container that a workspace is to have. */
export interface WantedContainer {
  readonly workspaceId: string;
  readonly name: string;
  /** Of the arguments that it is made with: one with another is made anew. */
  readonly policyHash: string;
  /** LIMIT_NOT_ENFORCEABLE; asks the engine only when there is something to ask. */
  readonly requireLimits: () => Promise<void>;
  /** What `run` takes for it, looked up only when it is made. */
  readonly arguments: () => Promise<readonly string[]>;
}

/** What a container does until it is removed. As its first process, the shell also takes note of orphans that end. */
export const SLEEPER = 'command -v sleep >/dev/null || exit 127; while :; do sleep 86400; done';

/** Another Carrel may make or remove it at the same moment; each time round somebody has made progress. */
const ATTEMPTS = 5;

/** The container of a workspace that runs, found again or made. SANDBOX_REFUSED and what making its arguments throws. */
export async function openContainer(
  engine: Engine,
  records: ContainerRecords,
  wanted: WantedContainer,
): Promise<RunningContainer> {
  const record = await records.find(wanted.workspaceId);
  const known = record?.container;
  if (known?.policyHash === wanted.policyHash && isKnownToRun(known)) return known;
  // Without a record there is none.
  let problem = record ? 'it ended at once' : await makeContainer(engine, records, wanted);
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const state = await settleState(engine, wanted.name);
    if (state?.status === 'running' && state.policyHash === wanted.policyHash)
      return keepRecord(records, wanted, state);
    if (state) await removeContainer(engine, state);
    problem = (await makeContainer(engine, records, wanted)) ?? problem;
  }
  throw engineFailed(engine, problem ?? 'it ended at once');
}

/** Where its first process can't be seen, only the engine knows. */
const isKnownToRun = ({ main }: RunningContainer): boolean => main !== undefined && isAlive(main) === 'alive';

/** Time for another Carrel to start what it has made; what a dead one left so is removed after it. */
const START_MS = 5000;

async function settleState(engine: Engine, name: string): Promise<ContainerState | undefined> {
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
  const container = { id, policyHash, main: pid > 1 ? identifyProcess(pid) : undefined };
  await records.put(workspaceId, { container });
  return container;
}

/** Gives why it failed; that somebody else has made one of this name is found out by the next look. */
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
  // On control groups of version 1 what is frozen is not even killed.
  if (status === 'paused') await engine.call(['unpause', id]);
  const result = await engine.call([...ENGINES[engine.name].removal, id]);
  if (result.exitCode === 0) return;
  if (await inspectContainer(engine, id)) throw engineFailed(engine, lastLine(result));
}
