import { carrelError } from '../../domain/error/error.js';
import { isSameProcess, type ProcessIdentity } from '../../domain/process-identity.js';
import type { TaskRecord } from '../../domain/task/task.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { isSameRealm } from '../../exec/process/process-realm.js';
import { findProcess } from '../../exec/process/process-table.js';
import { killOrphans, killTree } from '../../exec/stop/kill-tree.js';
import { findOrphans } from '../../exec/stop/orphans.js';
import { killStrays } from '../../exec/stop/stray-processes.js';
import type { Context } from '../../operations/context.js';
import { listParts } from '../../operations/group/group-records.js';
import { cleanUpSandboxesIfAny } from '../../operations/sandbox/clean-up-sandboxes.js';
import type { RunningCommand } from '../../store/store.js';

/** Time between asking a process to stop and killing it. */
const GRACE_MS = 2000;

/**
 * Kills what the dead owner of a task left running, so that nothing runs unnoticed in the workspace when
 * the task is resumed. Targets only that process's own children, so it is safe to run twice at once, and late.
 * WORKSPACE_BUSY when a process cannot be killed.
 */
export async function stopTaskProcesses(
  context: Pick<Context, 'store' | 'backends' | 'sandboxes' | 'self' | 'places' | 'narrate'>,
  task: TaskRecord,
): Promise<void> {
  const { owner } = task;
  if (owner === null) return;
  const records = await listWorkspaces(context, task);
  // Processes from before the last boot are gone, and pids of another namespace or machine mean nothing here.
  if (isSameRealm(owner.realm, context.self.realm)) await stopRecorded(context, records, owner);
  const { survivors } = await killOrphans(owner, { graceMs: GRACE_MS });
  if (survivors.length > 0) {
    const status = `in use by processes that cannot be killed (${survivors.join(', ')})`;
    throw carrelError('WORKSPACE_BUSY', { name: task.workspaceName ?? task.id, status });
  }
  if (records.some(record => record.sandbox)) await cleanUpSandboxesIfAny(context);
}

async function stopRecorded(
  context: Pick<Context, 'store' | 'backends'>,
  records: readonly WorkspaceRecord[],
  owner: ProcessIdentity,
): Promise<void> {
  for (const record of records) {
    await stopCommands(context, record, owner);
    if (context.backends.of(record.backend).ownsFiles)
      await killStrays(record.path, owner, { graceMs: GRACE_MS });
  }
}

/** The workspaces of the task and of its parallel stages, in all repositories. */
async function listWorkspaces(context: Pick<Context, 'store'>, task: TaskRecord): Promise<WorkspaceRecord[]> {
  const names = new Set([task.workspaceName, ...task.stages.map(stage => stage.workspaceName)]);
  const records = await context.store.workspaces.list({ repositoryId: task.repositoryId });
  const own = records.filter(record => record.id === task.workspaceId || names.has(record.name));
  const parts = await Promise.all(own.map(record => listParts(context, record)));
  return parts.flat();
}

/** The trees of recorded commands: they include processes that cleared their environment, by which the others are found. */
async function stopCommands(
  context: Pick<Context, 'store'>,
  record: WorkspaceRecord,
  owner: ProcessIdentity,
): Promise<void> {
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
