import { realpath } from 'node:fs/promises';
import { carrelError } from '../domain/error.js';
import { createId } from '../domain/id.js';
import type { WorkspaceRecord } from '../domain/workspace.js';
import { listMounts } from '../workspace/mounts.js';
import type { Context } from './context.js';
import { claim, type Reached, requireQuiet, undoRemoval } from './down.js';
import { journaled, type Progress } from './journaled.js';
import { tidyRoot } from './tidy-root.js';

/**
 * Ends and removes a workspace of which nothing is wanted any more, without a look at its files and without a snapshot.
 * Only for one of a repository that Carrel made for itself below `own` and deletes next, as batches do, whose work is in
 * a patch by then: any other is refused, so that nobody's work can go this way. Branch and registration go with that
 * repository. For the journal it is a removal without anything to take a snapshot of: killed before the files are given
 * up it is taken back, and after that brought to its end.
 */
export async function discardWorkspace(
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
    progress => discardFiles(context, record, progress, reached),
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

async function discardFiles(
  context: Context,
  record: WorkspaceRecord,
  progress: Progress<'down'>,
  reached: Reached,
): Promise<void> {
  const { removal } = context.backends[record.backend];
  await claim(context, record, progress.id, reached);
  // The claim is in the record, and by it recovery finds the files wherever they are.
  progress.pass('recorded');
  await removal.setAside(record);
  progress.pass('set-aside');
  await requireQuiet(context, record, { stopProcesses: true });
  requireUnmounted(record, removal.asideOf(record));
  await progress.step('snapshotted');
  reached.snapshotted = true;
  if (record.sandbox) await (await context.sandboxes()).remove(record);
  await removal.destroy(record);
  await tidyRoot(context);
  const { id, repositoryId, name, path } = record;
  const event = { type: 'workspace.removed', repositoryId, workspaceId: id, data: { name, path } } as const;
  await progress.finish(({ workspaces }) => workspaces.remove(id, [event]));
  progress.pass('done');
}

/** Deleting goes through mounts, behind which are others' files. */
function requireUnmounted({ name }: WorkspaceRecord, files: string): void {
  const [mounted] = listMounts(files);
  if (mounted !== undefined)
    throw carrelError('WORKSPACE_BUSY', { name, status: `in use: ${mounted} is mounted` });
}
