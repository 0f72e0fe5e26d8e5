import { readlinkSync } from 'node:fs';
import { carrelError } from '../../domain/error.js';
import { haltAll, letGo } from '../../exec/halt.js';
import { listProcPids, unlessHidden } from '../../exec/proc-table.js';
import { identifyProcess } from '../../exec/process-identity.js';
import type { SandboxRoot } from '../../exec/sandbox-processes.js';
import type { RunningContainer } from './container-record.js';
import { type Engine, lastLine } from './engine.js';
import { inspectContainer } from './inspect.js';

/** Milliseconds in which everything has to be halted. */
const HALT_MS = 5000;

/** Halts everything in a container; nothing to do for one that does not run. SANDBOX_NOT_PAUSED, and then all goes on. */
export async function haltContainer(
  engine: Engine,
  workspaceId: string,
  container: RunningContainer,
): Promise<void> {
  const result = await engine.call(['pause', container.id]);
  if (result.exitCode === 0) return;
  const state = await inspectContainer(engine, container.id);
  if (state?.status !== 'running') return;
  // Without control groups that freeze (podman without root on version 1), by signals.
  const findRoots = () => findInside(workspaceId, container);
  const running = await haltAll(findRoots, { limitMs: HALT_MS });
  if (running.length === 0 && findRoots().length > 0) return;
  letGo(findRoots());
  throw carrelError('SANDBOX_NOT_PAUSED', { workspace: workspaceId, problem: lastLine(result) });
}

/** Lets a container go on, however it was halted. SANDBOX_NOT_PAUSED when it stays halted. */
export async function releaseContainer(
  engine: Engine,
  workspaceId: string,
  container: RunningContainer,
): Promise<void> {
  const result = await engine.call(['unpause', container.id]);
  if (result.exitCode === 0) return;
  letGo(findInside(workspaceId, container));
  const state = await inspectContainer(engine, container.id);
  if (state?.status === 'paused')
    throw carrelError('SANDBOX_NOT_PAUSED', { workspace: workspaceId, problem: lastLine(result) });
}

/** Everything in the pid namespace of its first process: what `exec` starts there is no descendant of that. */
function findInside(workspaceId: string, { main }: RunningContainer): SandboxRoot[] {
  const namespace = main && readNamespace(main.pid);
  if (namespace === undefined) return [];
  return listProcPids().flatMap(pid => {
    const identity = readNamespace(pid) === namespace ? identifyProcess(pid) : undefined;
    return identity ? [{ workspaceId, identity }] : [];
  });
}

const readNamespace = (pid: number): string | undefined =>
  unlessHidden(() => readlinkSync(`/proc/${pid}/ns/pid`));
