import { realpath } from 'node:fs/promises';
import { carrelError } from '../../domain/error/error.js';
import { createId } from '../../domain/id.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { listMounts } from '../../workspace/files/mounts.js';
import type { Context } from '../context.js';
import { journaled, type Progress } from '../guard/journaled.js';
import { removeKeptRecord } from '../repository/kept-record.js';
import { removeEmptyRoot } from '../space/workspace-root.js';
import { claim, type Reached, requireNoProcesses, undoRemoval } from './move-aside.js';

/**
 * Stops and removes a workspace that is no longer needed, without checking its files and without a snapshot. Only for a repository that
 * Carrel created below `own` and deletes next, as batches do, whose work is already in a patch: any other is refused, so that no user's
 * work can be lost this way. Branch and registration are deleted with that repository. For the journal it is a removal without a
 * snapshot: killed before the files are given up it is undone, and after that finished.
 */
export async function removeWithoutSnapshot(
  context: Context,
  record: WorkspaceRecord,
  own: string,
): Promise<void> {
  await requireOwn(record, own);
  if (record.sandbox) await (await context.sandboxes()).stop(record);
  const reached: Reached = { claimed: false, snapshotted: false };
  const snapshotId = createId('snap', context.ids);
  await journaled(
    context,
    {
      kind: 'down',
      workspaceId: record.id,
      repositoryId: record.repositoryId,
      data: { accepted: {}, reason: 'down', snapshotId, holds: 'rubbish' },
      places: [record.commonDir],
    },
    progress => removeFilesWithoutSnapshot(context, record, progress, reached),
    async () => {
      if (reached.snapshotted) return false;
      if (reached.claimed) await undoRemoval(context, record);
      return true;
    },
  );
}

async function requireOwn({ name, repository }: WorkspaceRecord, own: string): Promise<void> {
  if (repository.startsWith(`${await realpath(own)}/`)) return;
  throw carrelError('INTERNAL', { problem: `${name} is of ${repository}, which is not below ${own}` });
}

async function removeFilesWithoutSnapshot(
  context: Context,
  record: WorkspaceRecord,
  progress: Progress<'down'>,
  reached: Reached,
): Promise<void> {
  const { removal } = context.backends.of(record.backend);
  await claim(context, record, progress.id, reached);
  // The claim is in the record, so recovery finds the files in either place.
  progress.pass('recorded');
  await removal.setAside(record);
  progress.pass('set-aside');
  await requireNoProcesses(context, record, { stopProcesses: true });
  requireUnmounted(record, removal.asideOf(record));
  await progress.step('snapshotted');
  reached.snapshotted = true;
  if (record.sandbox) await (await context.sandboxes()).remove(record);
  await removal.destroy(record);
  await removeKeptRecord(context, record);
  await removeEmptyRoot(context);
  const { id, repositoryId, name, path } = record;
  const event = { type: 'workspace.removed', repositoryId, workspaceId: id, data: { name, path } } as const;
  await progress.finish(({ workspaces }) => workspaces.remove(id, [event]));
  progress.pass('done');
}

/** Deleting would go through mounts into other files. */
export function requireUnmounted({ name }: WorkspaceRecord, files: string): void {
  const [mounted] = listMounts(files);
  if (mounted !== undefined)
    throw carrelError('WORKSPACE_BUSY', { name, status: `in use: ${mounted} is mounted` });
}
