import { rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { carrelError, ignoreMissing } from '../../domain/error/error.js';
import type { EventType } from '../../domain/event.js';
import type { JournalEntry } from '../../domain/journal.js';
import type { Snapshot } from '../../domain/snapshot/snapshot.js';
import type { Workspace, WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { toWorkspace } from '../../domain/workspace/workspace-state.js';
import type { Returning } from '../../workspace/backend.js';
import { removeTree } from '../../workspace/files/remove-tree.js';
import { renameDirectory } from '../../workspace/location/aside.js';
import { identifyFolder, isUnreachable } from '../../workspace/location/folder-identity.js';
import type { Context } from '../context.js';
import { journaled } from '../guard/journaled.js';
import { requireReady } from '../guard/require-ready.js';
import { keepRecord } from '../repository/kept-record.js';
import { removeEmptyRoot } from '../space/workspace-root.js';
import { makePrivate } from './create-workspace.js';

/**
 * Whether the files of a workspace were deleted, and nothing else of it. False when their disk is not mounted, and when the files
 * were the user's own and can't be restored.
 */
export async function isDeleted(
  context: Pick<Context, 'backends'>,
  record: WorkspaceRecord,
): Promise<boolean> {
  const { inspect, returning } = context.backends.of(record.backend);
  if (record.status !== 'ready' || !returning || (await isUnreachable(record))) return false;
  const [inspection] = await inspect([record], { size: false, presenceOnly: true });
  return inspection?.presence.kind === 'missing';
}

/**
 * Restores deleted files in place: the workspace keeps its id, ports, branch and commits. They are written next to the path and moved
 * there by one rename, so that a partial restore is never taken for a change by the user.
 */
export async function putBack(
  context: Context,
  record: WorkspaceRecord,
  from: Snapshot | undefined,
): Promise<Workspace> {
  const returning = requireReturning(context, record);
  return journaled(
    context,
    {
      kind: 'put-back',
      workspaceId: record.id,
      repositoryId: record.repositoryId,
      places: [record.commonDir, dirname(record.path)],
      begin: entry => claim(context, record, entry),
    },
    async progress => {
      await progress.step('recorded');
      await removeTree(besideOf(record));
      const { warnings } = await returning.fill(record, from, treeOf(record));
      if (!from) await makePrivate(context, { ...record, path: treeOf(record) });
      await progress.step('filled');
      const ready = await moveIntoPlace(context, record);
      progress.pass('done');
      for (const warning of warnings) context.narrate(`warning: ${warning}`);
      return toWorkspace(ready);
    },
    async () => {
      await undoPutBack(context, record);
      return true;
    },
  );
}

/** After a crash: forward when all files were written, back before that. */
export async function finishPutBack(
  context: Pick<Context, 'store' | 'backends' | 'places' | 'onStep'>,
  entry: JournalEntry,
  record: WorkspaceRecord | undefined,
): Promise<void> {
  if (record?.operationId !== entry.id) return;
  if (['filled', 'placed'].includes(entry.step)) await moveIntoPlace(context, record);
  else await undoPutBack(context, record);
}

/** Named like the files of a removal, for the same reason: on one file system, and with a known owner. */
const besideOf = ({ path, id }: WorkspaceRecord): string => join(dirname(path), `.restoring-${id}`);
const treeOf = (record: WorkspaceRecord): string => join(besideOf(record), 'tree');

/** Until it is done no command may use or remove the workspace. */
async function claim(
  context: Pick<Context, 'store'>,
  record: WorkspaceRecord,
  entry: JournalEntry,
): Promise<void> {
  await context.store.atomically(async ({ workspaces, journal }) => {
    const patch = { status: 'creating', operationId: entry.id } as const;
    const claimed = await workspaces.update(record.id, 'ready', patch, []);
    if (!claimed) throw carrelError('WORKSPACE_BUSY', { name: record.name, status: 'in use' });
    await journal.begin(entry);
  });
}

async function moveIntoPlace(
  context: Pick<Context, 'store' | 'backends' | 'places' | 'onStep'>,
  record: WorkspaceRecord,
): Promise<WorkspaceRecord> {
  const returning = requireReturning(context, record);
  const backend = returning.as ?? record.backend;
  if (!(await isPlaced(context, { ...record, backend }))) {
    await returning.clear?.(record);
    await rmdir(record.path).catch(ignoreMissing);
    await renameDirectory(treeOf(record), record.path);
  }
  context.onStep('put-back', 'placed');
  await removeTree(besideOf(record));
  const folder = await identifyFolder(record.path);
  const population = returning.as ? undefined : record.population;
  const patch = {
    status: 'ready',
    operationId: null,
    backend,
    population,
    ...(folder && { folder }),
  } as const;
  await keepRecord(context, { ...record, ...patch });
  const ready = await context.store.workspaces.update(record.id, 'creating', patch, [
    event('workspace.ready', record),
  ]);
  if (!ready) throw carrelError('OPERATION_LOST', { operation: 'put-back' });
  return ready;
}

const isPlaced = (context: Pick<Context, 'backends'>, record: WorkspaceRecord): Promise<boolean> =>
  requireReady(context, { ...record, status: 'ready' }).then(
    () => true,
    () => false,
  );

/** The snapshot has these files. */
async function undoPutBack(
  context: Pick<Context, 'store' | 'places'>,
  record: WorkspaceRecord,
): Promise<void> {
  await removeTree(besideOf(record));
  // The project's folder and the one of all projects, if they were recreated and are empty.
  await rmdir(dirname(record.path)).catch(() => undefined);
  await removeEmptyRoot(context);
  await context.store.workspaces.update(record.id, 'creating', { status: 'ready', operationId: null }, []);
}

function requireReturning({ backends }: Pick<Context, 'backends'>, { backend }: WorkspaceRecord): Returning {
  const { returning } = backends.of(backend);
  if (!returning) throw carrelError('NOT_SUPPORTED', { what: 'be restored in place', backend });
  return returning;
}

const event = (type: EventType, record: WorkspaceRecord) => ({
  type,
  repositoryId: record.repositoryId,
  workspaceId: record.id,
  data: { name: record.name, path: record.path, branch: record.branch },
});
