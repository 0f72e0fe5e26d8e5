import { isCarrelError } from '../../domain/error.js';
import { killProcesses } from '../../exec/kill-tree.js';
import type { ContainerRecords } from './container-record.js';
import type { Engine } from './engine.js';
import { inspectContainer } from './inspect.js';
import { removeContainer } from './open-container.js';

/**
 * Removes the container of a workspace with everything in it. With an engine that does not answer, its processes are
 * ended by themselves, and the record stays so that the rest is removed when the engine is back.
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
    if (!(await endWithoutEngine(records, workspaceId))) throw error;
  }
}

/** With the first process of a pid namespace the kernel ends all others. Gives whether nothing of it runs any more. */
async function endWithoutEngine(records: ContainerRecords, workspaceId: string): Promise<boolean> {
  const record = await records.find(workspaceId);
  if (!record) return true;
  const { main } = record.container ?? {};
  if (!main) return false;
  return (await killProcesses([main], { graceMs: 0 })).survivors.length === 0;
}
