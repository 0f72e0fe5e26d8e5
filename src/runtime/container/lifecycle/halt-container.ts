import { readlinkSync } from 'node:fs';
import { carrelError } from '../../../domain/error/error.js';
import { identifyProcess } from '../../../exec/process/identify-process.js';
import { listProcPids, unlessHidden } from '../../../exec/process/proc-table.js';
import { continueAll, haltAll } from '../../../exec/stop/halt-processes.js';
import type { SandboxRoot } from '../../../exec/stop/sandbox-processes.js';
import { type Engine, lastLine } from '../engine/engine.js';
import { inspectContainer } from '../engine/inspect-container.js';
import type { RunningContainer } from './container-record.js';

/** Milliseconds in which everything has to be paused. */
const HALT_MS = 5000;

/**
 * Pauses everything in a container; does nothing for one that does not run. SANDBOX_NOT_PAUSED, and then everything
 * continues.
 */
export async function haltContainer(
  engine: Engine,
  workspaceId: string,
  container: RunningContainer,
): Promise<void> {
  const result = await engine.call(['pause', container.id]);
  if (result.exitCode === 0) return;
  const state = await inspectContainer(engine, container.id);
  if (state?.status !== 'running') return;
  // By signals, without control groups that can freeze (podman without root on version 1).
  const findRoots = () => findInside(workspaceId, container);
  const running = await haltAll(findRoots, { limitMs: HALT_MS });
  if (running.length === 0 && findRoots().length > 0) return;
  continueAll(findRoots());
  throw carrelError('SANDBOX_NOT_PAUSED', { workspace: workspaceId, problem: lastLine(result) });
}

/** Resumes a container, however it was paused. SANDBOX_NOT_PAUSED when it stays paused. */
export async function releaseContainer(
  engine: Engine,
  workspaceId: string,
  container: RunningContainer,
): Promise<void> {
  const result = await engine.call(['unpause', container.id]);
  if (result.exitCode === 0) return;
  continueAll(findInside(workspaceId, container));
  const state = await inspectContainer(engine, container.id);
  if (state?.status === 'paused')
    throw carrelError('SANDBOX_NOT_PAUSED', { workspace: workspaceId, problem: lastLine(result) });
}

/** Everything in the pid namespace of its first process: processes started with `exec` do not descend from it. */
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
