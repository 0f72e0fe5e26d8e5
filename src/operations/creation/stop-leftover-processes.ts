import { carrelError } from '../../domain/error/error.js';
import type { JournalEntry } from '../../domain/journal.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { isSameRealm } from '../../exec/process/process-realm.js';
import { killOrphans, killTree } from '../../exec/stop/kill-tree.js';
import type { Context } from '../context.js';

/** Time between SIGTERM and SIGKILL. On SIGTERM git removes its lock files. */
const GRACE_MS = 2000;

/**
 * Stops processes that a dead process has left, so that nothing interferes with recovery: its
 * git processes, and for an unfinished workspace its setup commands, even if they have moved elsewhere.
 */
export async function stopOrphans(
  context: Pick<Context, 'store' | 'self'>,
  entry: JournalEntry,
): Promise<void> {
  const { owner, workspaceId } = entry;
  // Processes from before the last boot are gone, and those in another pid namespace can't be identified.
  if (!isSameRealm(owner.realm, context.self.realm)) return;
  const { survivors } = await killOrphans(owner, { graceMs: GRACE_MS });
  if (survivors.length > 0) {
    const status = `in use by processes that did not exit (${survivors.join(', ')})`;
    throw carrelError('WORKSPACE_BUSY', { name: workspaceId, status });
  }
  if (await isInTheMaking(context, entry)) await killTree(owner, { graceMs: GRACE_MS, marker: workspaceId });
}

/**
 * Stops processes that the setup commands of a failed workspace have left, such as a server that one of them started before another
 * failed. Only the marker identifies them: this process keeps running, so its own tree is not followed.
 */
export async function stopSetupProcesses(
  context: Pick<Context, 'self'>,
  { id }: WorkspaceRecord,
): Promise<void> {
  await killTree({ pid: context.self.pid, startedAt: 'another' }, { graceMs: GRACE_MS, marker: id });
}

async function isInTheMaking(
  context: Pick<Context, 'store'>,
  { workspaceId }: JournalEntry,
): Promise<boolean> {
  return (await context.store.workspaces.find(workspaceId))?.status === 'creating';
}
