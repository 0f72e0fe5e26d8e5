import { carrelError } from '../domain/error.js';
import type { JournalEntry } from '../domain/journal.js';
import type { WorkspaceRecord } from '../domain/workspace.js';
import { killProcesses, killTree } from '../exec/kill-tree.js';
import { findOrphans } from '../exec/orphans.js';
import type { Context } from './context.js';

/** Time between asking a process to end and ending it. On SIGTERM git removes its lock files. */
const GRACE_MS = 2000;

/**
 * Ends what a dead process has left running, so that nothing goes on behind the back of whoever settles its work: its
 * gits, and for a workspace in the making its setup commands, wherever they have gone since.
 */
export async function endOrphans(context: Context, entry: JournalEntry): Promise<void> {
  const { owner, workspaceId } = entry;
  // What ran before the last boot is gone with it, and what runs in another pid namespace can't be told apart.
  if (owner.realm !== context.self.realm) return;
  await killProcesses(findOrphans(owner), { graceMs: GRACE_MS });
  const left = findOrphans(owner).map(({ pid }) => pid);
  if (left.length > 0) {
    const status = `in use by processes that do not end (${left.join(', ')})`;
    throw carrelError('WORKSPACE_BUSY', { name: workspaceId, status });
  }
  if (await isInTheMaking(context, entry)) await killTree(owner, { graceMs: GRACE_MS, marker: workspaceId });
}

/**
 * Ends what the setup commands of a workspace that is not to be have left running, such as a server that one of them
 * started before another failed. The marker alone leads to them: this process goes on, so its own tree is not followed.
 */
export async function endSetup(context: Context, { id }: WorkspaceRecord): Promise<void> {
  await killTree({ pid: context.self.pid, startedAt: 'another' }, { graceMs: GRACE_MS, marker: id });
}

async function isInTheMaking(context: Context, { workspaceId }: JournalEntry): Promise<boolean> {
  return (await context.store.workspaces.find(workspaceId))?.status === 'creating';
}
