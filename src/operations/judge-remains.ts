import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
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
 * False when they became another's meanwhile.
 */
export async function judgeRemains(context: Context, remains: Remains): Promise<boolean> {
  if (remains.holds !== 'rubbish' && hasFiles(remains)) {
    requireLayers(remains);
    await withFiles(remains, () => holdWork(context, remains));
  }
  const isOurs = await context.store.remains.update(remains, { holds: 'rubbish' });
  if (isOurs) context.onStep('settle', 'judged');
  return isOurs;
}

/**
 * Whoever recorded them may have died before moving anything, and then there are none. Where not even what is around them
 * is there, a disk is not mounted.
 */
function hasFiles({ directory }: Remains): boolean {
  if (existsSync(directory)) return existsSync(join(directory, 'tree'));
  const folder = dirname(directory);
  const root = dirname(folder);
  if (existsSync(folder) || (existsSync(root) && readdirSync(root).length > 0)) return false;
  throw carrelError('NO_SUCH_DIRECTORY', { path: folder });
}

/** Without its layers the files of an overlay are not in `tree/`; captured, that would be nothing, and all would go. */
function requireLayers({ directory, lower }: Remains): void {
  const [found] = lower === null ? ['upper', 'aside'].filter(name => existsSync(join(directory, name))) : [];
  if (found === undefined) return;
  throw carrelError('INTERNAL', {
    problem: `there is work in ${join(directory, found)}, and nothing says what it belongs over`,
  });
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
