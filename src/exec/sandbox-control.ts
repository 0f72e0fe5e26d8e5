import { carrelError } from '../domain/error.js';
import type { RuntimeName } from '../domain/runtime.js';
import { haltAll, letGo } from './halt.js';
import { killTree } from './kill-tree.js';
import { findSandboxRoots } from './sandbox-processes.js';

/** Milliseconds in which everything has to be halted. */
const HALT_MS = 5000;

/** Halts everything that runs for a workspace, whoever started it. SANDBOX_NOT_PAUSED, and then all goes on. */
export async function haltSandbox(runtime: RuntimeName, workspaceId: string): Promise<void> {
  const running = await haltAll(() => findSandboxRoots(runtime, workspaceId), { limitMs: HALT_MS });
  if (running.length === 0) return;
  resumeSandbox(runtime, workspaceId);
  const pids = running.slice(0, 5).map(({ pid }) => pid);
  const problem = `processes go on (${pids.join(', ')})`;
  throw carrelError('SANDBOX_NOT_PAUSED', { workspace: workspaceId, problem });
}

export const resumeSandbox = (runtime: RuntimeName, workspaceId: string): void =>
  letGo(findSandboxRoots(runtime, workspaceId));

/** A command may be started while we look; nobody starts one without end. */
const MOST_ROUNDS = 20;

/** Ends everything that runs for a workspace, whoever started it, and makes sure of it. WORKSPACE_BUSY. */
export async function endSandbox(runtime: RuntimeName, workspaceId: string): Promise<void> {
  for (let round = 1; ; round++) {
    const roots = findSandboxRoots(runtime, workspaceId);
    if (roots.length === 0) return;
    const results = await Promise.all(roots.map(({ identity }) => killTree(identity, { graceMs: 0 })));
    const survivors = results.flatMap(result => result.survivors);
    if (survivors.length === 0 && round < MOST_ROUNDS) continue;
    const status = `in use by processes that do not end (${survivors.join(', ')})`;
    throw carrelError('WORKSPACE_BUSY', { name: workspaceId, status });
  }
}
