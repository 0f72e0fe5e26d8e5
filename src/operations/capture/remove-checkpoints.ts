import type { Snapshot } from '../../domain/snapshot/snapshot.js';
import type { Context } from '../context.js';
import { removeSnapshot } from './remove-snapshot.js';

/** The complete checkpoints of a workspace, newest first. */
export async function listCheckpoints(
  { store }: Pick<Context, 'store'>,
  workspaceId: string,
): Promise<Snapshot[]> {
  const snapshots = await store.snapshots.list({ workspaceId });
  return snapshots.filter(({ reason, commit }) => reason === 'checkpoint' && commit !== null);
}

/** Releases all but the newest `keep`. */
export async function releaseCheckpoints(
  context: Pick<Context, 'store' | 'backends'>,
  workspaceId: string,
  kept: number,
): Promise<void> {
  for (const old of (await listCheckpoints(context, workspaceId)).slice(kept))
    await removeSnapshot(context, old);
}
