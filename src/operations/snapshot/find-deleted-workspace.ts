import { isCarrelError } from '../../domain/error/error.js';
import type { Snapshot } from '../../domain/snapshot/snapshot.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { findLastState, isWhole } from '../capture/find-last-snapshot.js';
import type { Context } from '../context.js';
import { isDeleted } from '../creation/restore-in-place.js';
import { findWorkspace } from '../workspace/find-workspace.js';

export interface DeletedWorkspace {
  readonly record: WorkspaceRecord;
  /** The snapshot to restore its files from; undefined when there are only commits. */
  readonly from: Snapshot | undefined;
}

/** The workspace that a name, or the id of a snapshot, means, if only its files were deleted. */
export async function findDeleted(
  context: Context,
  { repository, snapshot: name }: { readonly repository: string; readonly snapshot: string },
): Promise<DeletedWorkspace | undefined> {
  const snapshot = await context.store.snapshots.find(name);
  const record = snapshot
    ? await context.store.workspaces.find(snapshot.workspaceId)
    : await findWorkspace(context, { repository, name }).catch(ignoreUnknown);
  if (!record || !(await isDeleted(context, record))) return undefined;
  if (!snapshot) return { record, from: await findLastState(context, record.id) };
  return (await isWhole(context, snapshot)) ? { record, from: snapshot } : undefined;
}

function ignoreUnknown(error: unknown): undefined {
  if (!isCarrelError(error, 'WORKSPACE_NOT_FOUND', 'WORKSPACE_AMBIGUOUS')) throw error;
}
