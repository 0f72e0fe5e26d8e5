import { carrelError } from '../domain/error.js';
import type { JournalEntry } from '../domain/journal.js';
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

async function isInTheMaking(context: Context, { workspaceId }: JournalEntry): Promise<boolean> {
  return (await context.store.workspaces.find(workspaceId))?.status === 'creating';
}
