import type { Snapshot } from '../../domain/snapshot/snapshot.js';
import type { Context } from '../context.js';

/** Unpins an expired snapshot: the ref first, so that a crash leaves a record without a ref and not the reverse. */
export async function removeSnapshot(
  context: Pick<Context, 'store' | 'backends'>,
  snapshot: Snapshot,
): Promise<void> {
  await context.backends.of(snapshot.backend).snapshots?.release(snapshot);
  const { repositoryId, workspaceId, id } = snapshot;
  await context.store.snapshots.remove(id, [
    { type: 'snapshot.expired', repositoryId, workspaceId, data: { snapshot: id } },
  ]);
}
