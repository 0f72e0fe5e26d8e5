import { existsSync } from 'node:fs';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import type { Store } from '../../store/store.js';
import { listParts } from './group-records.js';

/**
 * What the sandbox of a workspace holds, the first part first: it is the sandbox of that part. A part is alone while the first one is
 * created, reset or removed, because then the files of the first one are not in place.
 */
export async function listSandboxMembers(
  context: { readonly store: Pick<Store, 'workspaces'> },
  record: WorkspaceRecord,
): Promise<readonly [WorkspaceRecord, ...WorkspaceRecord[]]> {
  if (!record.group || !record.sandbox) return [record];
  const parts = (await listParts(context, record)).map(part => (part.id === record.id ? record : part));
  // The first part is created last: then the others are complete, but not ready yet.
  const isLast = record.id === record.group.id && record.status === 'creating';
  const isThere = ({ id, status, path, sandbox }: WorkspaceRecord) =>
    id === record.id ||
    (sandbox !== undefined && (status === 'ready' || (isLast && status === 'creating')) && existsSync(path));
  const [first, ...others] = parts.filter(isThere) as [WorkspaceRecord, ...WorkspaceRecord[]];
  return first.id === record.group.id ? [first, ...others] : [record];
}

/** The ids of the workspaces whose commands run in the same sandbox, or in the workspace itself. */
export async function listCommandPlaces(
  context: { readonly store: Pick<Store, 'workspaces'> },
  record: WorkspaceRecord,
): Promise<string[]> {
  const parts = record.sandbox ? await listParts(context, record) : [record];
  return parts.map(({ id }) => id);
}
