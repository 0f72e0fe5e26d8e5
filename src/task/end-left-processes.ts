import { carrelError } from '../domain/error.js';
import { isSameProcess, type ProcessIdentity } from '../domain/process-identity.js';
import type { TaskRecord } from '../domain/task.js';
import type { WorkspaceRecord } from '../domain/workspace.js';
import { killProcesses, killTree } from '../exec/kill-tree.js';
import { findOrphans } from '../exec/orphans.js';
import { findProcess } from '../exec/process-table.js';
import { endStrays } from '../exec/strays.js';
import type { Context } from '../operations/context.js';
import { sweepSandboxes } from '../operations/sweep-sandboxes.js';
import type { RunningCommand } from '../store/store.js';

/** Time between asking a process to end and ending it. */
const GRACE_MS = 2000;

/**
 * Ends what the dead owner of a task has left running, so that nothing goes on in the workspace behind the back of whoever
 * takes the task up again. Aims at nothing but that process's own, so two may do this at once, and late.
 * WORKSPACE_BUSY when something does not end.
 */
export async function endLeftProcesses(context: Context, task: TaskRecord): Promise<void> {
  const { owner } = task;
  // What ran before the last boot is gone with it, and what runs in another pid namespace can't be told apart.
  if (owner === null || owner.realm !== context.self.realm) return;
  const records = await listWorkspaces(context, task);
  for (const record of records) {
    await endCommands(context, record, owner);
    if (context.backends[record.backend].ownsFiles)
      await endStrays(record.path, owner, { graceMs: GRACE_MS });
  }
  await killProcesses(findOrphans(owner), { graceMs: GRACE_MS });
  const left = findOrphans(owner).map(({ pid }) => pid);
  if (left.length > 0) {
    const status = `in use by processes that do not end (${left.join(', ')})`;
    throw carrelError('WORKSPACE_BUSY', { name: task.workspaceName ?? task.id, status });
  }
  if (records.some(record => record.sandbox)) await sweepSandboxes(context);
}

/** That of the task, and those of stages that ran beside others. */
async function listWorkspaces(context: Context, task: TaskRecord): Promise<WorkspaceRecord[]> {
  const names = new Set([task.workspaceName, ...task.stages.map(stage => stage.workspaceName)]);
  const records = await context.store.workspaces.list({ repositoryId: task.repositoryId });
  return records.filter(record => record.id === task.workspaceId || names.has(record.name));
}

/** The trees of recorded commands: they hold what has wiped its environment, by which the others are found. */
async function endCommands(context: Context, record: WorkspaceRecord, owner: ProcessIdentity): Promise<void> {
  const orphans = findOrphans(owner);
  const commands = await context.store.commands.list(record.id);
  const left = commands.filter(command => isLeft(command, orphans));
  await Promise.all(
    left.map(async ({ id, process }) => {
      await killTree(process, { graceMs: GRACE_MS, marker: id });
      await context.store.commands.remove(id);
    }),
  );
}

/** Other commands in the workspace, such as the user's own, have a living Carrel as their parent. */
function isLeft({ process }: RunningCommand, orphans: readonly ProcessIdentity[]): boolean {
  if (orphans.some(orphan => isSameProcess(orphan, process))) return true;
  const found = findProcess(process.pid);
  return found?.startedAt === process.startedAt && found.parent === 1;
}
