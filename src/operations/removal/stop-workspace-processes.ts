import { carrelError } from '../../domain/error/error.js';
import type { ProcessIdentity } from '../../domain/process-identity.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { killProcesses } from '../../exec/stop/kill-tree.js';

/** Time between SIGTERM and SIGKILL. */
const GRACE_MS = 2000;

/** Stops processes that work in a workspace and makes sure that they are dead. */
export async function stopProcesses(
  record: WorkspaceRecord,
  processes: readonly ProcessIdentity[],
): Promise<void> {
  if (processes.length === 0) return;
  const { survivors } = await killProcesses(processes, { graceMs: GRACE_MS });
  if (survivors.length === 0) return;
  const status = `in use by processes that did not exit (${survivors.join(', ')})`;
  throw carrelError('WORKSPACE_BUSY', { name: record.name, status });
}
