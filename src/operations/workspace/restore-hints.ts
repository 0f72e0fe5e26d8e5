import { formatDuration } from '../../domain/text/format-quantity.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import type { Inspection } from '../../workspace/backend.js';
import { isUnreachable } from '../../workspace/location/folder-identity.js';
import type { Context } from '../context.js';

/** How to restore deleted files, shown where they are reported missing. */
export async function describeWayBack(
  context: Pick<Context, 'store' | 'backends' | 'now'>,
  record: WorkspaceRecord,
  inspection: Inspection | undefined,
): Promise<string[]> {
  if (inspection?.presence.kind !== 'missing' || !context.backends.of(record.backend).returning) return [];
  if (await isUnreachable(record)) return [];
  const snapshots = await context.store.snapshots.list({ workspaceId: record.id });
  const last = snapshots.find(({ commit }) => commit !== null);
  const command = `carrel restore ${record.name}`;
  if (!last)
    return record.commonDir === null ? [] : [`restore what was committed or staged with: ${command}`];
  const kind = last.reason === 'checkpoint' ? 'checkpoint' : 'snapshot';
  const ago = formatDuration(Math.max(0, context.now() - Date.parse(last.createdAt)));
  return [`the last ${kind} was taken ${ago} ago; restore it with: ${command}`];
}

/** Reports why the last checkpoint failed; it is retried when something changes. */
export const describeCheckpointFailure = ({ checkpoint, name }: WorkspaceRecord): string[] =>
  checkpoint?.failure === undefined
    ? []
    : [`the last checkpoint of ${name} could not be taken: ${checkpoint.failure}`];
