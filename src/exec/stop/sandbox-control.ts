import { carrelError } from '../../domain/error/error.js';
import type { RuntimeName } from '../../domain/sandbox/runtime-finding.js';
import { continueAll, haltAll } from './halt-processes.js';
import { killTree } from './kill-tree.js';
import { findSandboxRoots, type SandboxRoot } from './sandbox-processes.js';

/** Milliseconds in which everything has to be paused. */
const HALT_MS = 5000;

/** Pauses everything that runs for a workspace, from any Carrel process. On SANDBOX_NOT_PAUSED everything continues. */
export async function haltSandbox(
  runtime: RuntimeName,
  workspaceId: string,
  findRoots: FindRoots = findSandboxRoots,
): Promise<void> {
  const running = await haltAll(() => findRoots(runtime, workspaceId), { limitMs: HALT_MS });
  if (running.length === 0) return;
  resumeSandbox(runtime, workspaceId, findRoots);
  const pids = running.slice(0, 5).map(({ pid }) => pid);
  const problem = `processes are still running (${pids.join(', ')})`;
  throw carrelError('SANDBOX_NOT_PAUSED', { workspace: workspaceId, problem });
}

/** For runtimes that know more running processes than environments show. */
type FindRoots = (runtime: RuntimeName, workspaceId: string) => SandboxRoot[];

export const resumeSandbox = (
  runtime: RuntimeName,
  workspaceId: string,
  findRoots: FindRoots = findSandboxRoots,
): void => continueAll(findRoots(runtime, workspaceId));

/** A command may be started in the meantime, but not endlessly. */
const MOST_ROUNDS = 20;

/** Kills everything that runs for a workspace, from any Carrel process, and confirms it. WORKSPACE_BUSY. */
export async function killSandbox(
  runtime: RuntimeName,
  workspaceId: string,
  findRoots: FindRoots = findSandboxRoots,
): Promise<void> {
  for (let round = 1; ; round++) {
    const roots = findRoots(runtime, workspaceId);
    if (roots.length === 0) return;
    const results = await Promise.all(roots.map(({ identity }) => killTree(identity, { graceMs: 0 })));
    const survivors = results.flatMap(result => result.survivors);
    if (survivors.length === 0 && round < MOST_ROUNDS) continue;
    const status = `in use by processes that did not exit (${survivors.join(', ')})`;
    throw carrelError('WORKSPACE_BUSY', { name: workspaceId, status });
  }
}
