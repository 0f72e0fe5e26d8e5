import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { carrelError } from '../domain/error.js';
import type { Remains } from '../domain/remains.js';
import { mountOverlayForReading, unmountOverlay } from '../exec/overlay-mount.js';
import { isAsTakenFor, lateLookPlace, loadLateLook } from '../git/capture/late-look.js';
import { verifySnapshot } from '../git/capture/verify.js';
import { loadRemoved } from '../pool/move-aside.js';
import { snapshotRef } from '../workspace/snapshot-ref.js';
import { captureRemains } from './capture-remains.js';
import type { Context } from './context.js';

/**
 * Makes sure that nothing is lost when remains of this process are deleted, and says so in their record: work is
 * captured, and what was taken for clean is looked at closely. Somebody may have written between the first look and the
 * move, and then the snapshot that was made without a closer look is replaced by one of what is there, under the same id.
 */
export async function judgeRemains(context: Context, remains: Remains): Promise<void> {
  if (remains.holds !== 'rubbish' && existsSync(join(remains.directory, 'tree'))) {
    await withFiles(remains, () => holdWork(context, remains));
  }
  await context.store.remains.update(remains.id, { holds: 'rubbish' });
  context.onStep('settle', 'judged');
}

/** The files of an overlay are there while it is mounted. A crash may have left it so. */
async function withFiles(remains: Remains, action: () => Promise<void>): Promise<void> {
  const { directory, lower } = remains;
  if (lower === null) return action();
  const target = join(directory, 'tree');
  await unmountOverlay(target);
  await mountOverlayForReading({ lower, upper: join(directory, 'upper'), target });
  try {
    await action();
  } finally {
    await unmountOverlay(target);
  }
}

async function holdWork(context: Context, remains: Remains): Promise<void> {
  const { commonDir, directory } = remains;
  if (commonDir === null)
    throw carrelError('INTERNAL', { problem: `${remains.id} has no repository to be captured in` });
  const place = lateLookPlace(directory, commonDir);
  const look = remains.holds === 'nothing' ? await loadLateLook(directory) : undefined;
  const isHeld =
    look !== undefined &&
    (await isSnapshotWhole(context, remains, commonDir)) &&
    (await isAsTakenFor(context.git, place, look, context.places.temporaryRoot));
  if (isHeld) return;
  const removed = remains.isPartial ? loadRemoved(directory) : undefined;
  await captureRemains(context, remains, place, { head: look?.head, removed });
}

/** Until its pin stood nothing led to its objects, and a `git prune --expire=now` of the user's may have taken some. */
async function isSnapshotWhole(context: Context, { id }: Remains, objectStore: string): Promise<boolean> {
  const snapshot = await context.store.snapshots.find(id);
  const commit = await verifySnapshot(context.git, { objectStore, ref: snapshotRef(id) });
  return commit !== undefined && commit === snapshot?.commit;
}
