import { carrelError } from '../domain/error.js';
import type { ProcessIdentity } from '../domain/process-identity.js';
import type { WorkspaceRecord } from '../domain/workspace.js';
import { killProcesses } from '../exec/kill-tree.js';

/** Time between asking a process to end and ending it. */
const GRACE_MS = 2000;

/** Ends processes that work in a workspace and makes sure that they are dead. */
export async function stopProcesses(
  record: WorkspaceRecord,
  processes: readonly ProcessIdentity[],
): Promise<void> {
  if (processes.length === 0) return;
  const { survivors } = await killProcesses(processes, { graceMs: GRACE_MS });
  if (survivors.length === 0) return;
  const status = `in use by processes that do not end (${survivors.join(', ')})`;
  throw carrelError('WORKSPACE_BUSY', { name: record.name, status });
}
