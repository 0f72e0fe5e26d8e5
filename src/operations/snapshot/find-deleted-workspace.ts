import { isCarrelError } from '../../domain/error/error.js';
import type { Snapshot } from '../../domain/snapshot/snapshot.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { findLastState, isWhole } from '../capture/find-last-snapshot.js';
import type { Context } from '../context.js';
import { isDeleted } from '../creation/restore-in-place.js';
import { listParts } from '../group/group-records.js';
import { findWorkspace } from '../workspace/find-workspace.js';

export interface DeletedWorkspace {
  readonly record: WorkspaceRecord;
  /** The snapshot to restore its files from; undefined when there are only commits. */
  readonly from: Snapshot | undefined;
}

/**
 * The workspace that a name, or the id of a snapshot, means, if only its files were deleted; with several repositories, each part of it
 * whose files were deleted.
 */
export async function findDeleted(
  context: Context,
  { repository, snapshot: name }: { readonly repository: string; readonly snapshot: string },
): Promise<DeletedWorkspace[]> {
  const snapshot = await context.store.snapshots.find(name);
  if (snapshot) {
    const record = await context.store.workspaces.find(snapshot.workspaceId);
    const isOf = record && (await isDeleted(context, record)) && (await isWhole(context, snapshot));
    return isOf ? [{ record, from: snapshot }] : [];
  }
  const record = await findWorkspace(context, { repository, name }).catch(ignoreUnknown);
  const deleted: DeletedWorkspace[] = [];
  for (const part of record ? await listParts(context, record) : [])
    if (await isDeleted(context, part))
      deleted.push({ record: part, from: await findLastState(context, part.id) });
  return deleted;
}

function ignoreUnknown(error: unknown): undefined {
  if (!isCarrelError(error, 'WORKSPACE_NOT_FOUND', 'WORKSPACE_AMBIGUOUS')) throw error;
}
