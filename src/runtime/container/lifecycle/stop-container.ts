import { isCarrelError } from '../../../domain/error/error.js';
import { killProcesses } from '../../../exec/stop/kill-tree.js';
import type { Engine } from '../engine/engine.js';
import { inspectContainer } from '../engine/inspect-container.js';
import type { ContainerRecords } from './container-record.js';
import { removeContainer } from './open-container.js';

/**
 * Removes the container of a workspace with everything in it. When the engine does not answer, its processes are killed
 * directly, and the record stays so that the rest is removed when the engine is back.
 */
export async function stopContainer(
  engine: Engine,
  records: ContainerRecords,
  { workspaceId, name }: { readonly workspaceId: string; readonly name: string },
): Promise<void> {
  try {
    const state = await inspectContainer(engine, name);
    if (state) await removeContainer(engine, state);
    await records.remove(workspaceId);
  } catch (error) {
    if (!isCarrelError(error, 'SANDBOX_REFUSED', 'RUNTIME_UNAVAILABLE')) throw error;
    if (!(await killWithoutEngine(records, workspaceId))) throw error;
  }
}

/** When the first process of a pid namespace dies, the kernel kills all others. Returns whether all are dead. */
async function killWithoutEngine(records: ContainerRecords, workspaceId: string): Promise<boolean> {
  const record = await records.find(workspaceId);
  if (!record) return true;
  const { main } = record.container ?? {};
  if (!main) return false;
  return (await killProcesses([main], { graceMs: 0 })).survivors.length === 0;
}
