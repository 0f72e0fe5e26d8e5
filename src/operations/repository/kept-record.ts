import { join } from 'node:path';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { removeRecordFile, writeRecordFile } from '../../workspace/location/record-file.js';
import type { Context, Places } from '../context.js';

/** Keeps a copy of the workspace's record next to it, so that the database can be rebuilt (see repair.ts). */
export async function keepRecord(context: Pick<Context, 'places'>, record: WorkspaceRecord): Promise<void> {
  const place = recordPlaceOf(context, record);
  if (place !== null) await writeRecordFile(place, record, context.places.stateDir);
}

export async function removeKeptRecord(
  context: Pick<Context, 'places'>,
  record: WorkspaceRecord,
): Promise<void> {
  const place = recordPlaceOf(context, record);
  if (place !== null) await removeRecordFile(place, record.id);
}

/** Where Carrel keeps the history of plain directories. */
export const vaultOf = ({ stateDir }: Places): string => join(stateDir, 'vault.git');

/** The user's own directories can't be lost by us, so nothing is kept for them. */
function recordPlaceOf(
  { places }: Pick<Context, 'places'>,
  { backend, commonDir }: WorkspaceRecord,
): string | null {
  return backend === 'direct' ? null : (commonDir ?? vaultOf(places));
}
