import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { carrelError } from '../../domain/error/error.js';
import type { Remains } from '../../domain/snapshot/remains.js';
import { mountOverlayForReading, unmountOverlay } from '../../exec/filesystem/overlay-mount.js';
import {
  deferredCheckPlace,
  loadDeferredCheck,
  matchesSnapshot,
} from '../../git/snapshot/capture/late-check.js';
import { keptDirIn } from '../../git/snapshot/kept-store.js';
import { verifySnapshot } from '../../git/snapshot/verify/verify.js';
import { loadRemoved } from '../../pool/checkout/move-aside.js';
import { snapshotRef } from '../../workspace/snapshot/snapshot-ref.js';
import type { Context } from '../context.js';
import { captureRemains } from './capture-remains.js';

/**
 * Makes sure that nothing is lost when remains of this process are deleted, and records that: work is captured, and files assumed clean
 * are fully checked. A process may have written between the first check and the move; then the fast snapshot is replaced by a full one
 * under the same id. False when another process has taken them over.
 */
export async function verifyRemains(context: Context, remains: Remains): Promise<boolean> {
  if (remains.holds !== 'rubbish' && hasFiles(remains)) {
    requireLayers(remains);
    await withFiles(remains, () => ensureWorkCaptured(context, remains));
  }
  const isOurs = await context.store.remains.update(remains, { holds: 'rubbish' });
  if (isOurs) context.onStep('settle', 'judged');
  return isOurs;
}

/**
 * The process that recorded them may have died before moving anything; then there are none. When even their parent directory is missing,
 * a disk is not mounted.
 */
function hasFiles({ directory }: Remains): boolean {
  if (existsSync(directory)) return existsSync(join(directory, 'tree'));
  const folder = dirname(directory);
  const root = dirname(folder);
  if (existsSync(folder) || (existsSync(root) && readdirSync(root).length > 0)) return false;
  throw carrelError('NO_SUCH_DIRECTORY', { path: folder });
}

/** Without its layers the files of an overlay are not in `tree/`; a capture would be empty, and everything would be lost. */
function requireLayers({ directory, lower }: Remains): void {
  const [found] = lower === null ? ['upper', 'aside'].filter(name => existsSync(join(directory, name))) : [];
  if (found === undefined) return;
  throw carrelError('INTERNAL', {
    problem: `there is work in ${join(directory, found)}, but its lower layer is unknown`,
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

async function ensureWorkCaptured(context: Context, remains: Remains): Promise<void> {
  const { commonDir, directory } = remains;
  if (commonDir === null)
    throw carrelError('INTERNAL', { problem: `${remains.id} has no repository to be captured in` });
  const place = deferredCheckPlace(directory, commonDir);
  const check = remains.holds === 'nothing' ? await loadDeferredCheck(directory) : undefined;
  const isHeld =
    check !== undefined &&
    (await isSnapshotWhole(context, remains, commonDir)) &&
    (await matchesSnapshot(context.git, place, check));
  if (isHeld) return;
  const removed = remains.isPartial ? loadRemoved(directory) : undefined;
  await captureRemains(context, remains, place, { head: check?.head, removed });
}

/** Until it was pinned its objects were unreachable, and the user's `git prune --expire=now` may have deleted some. */
async function isSnapshotWhole(
  context: Pick<Context, 'store' | 'git' | 'places'>,
  { id }: Remains,
  objectStore: string,
): Promise<boolean> {
  const snapshot = await context.store.snapshots.find(id);
  const commit = await verifySnapshot(context.git, {
    objectStore,
    ref: snapshotRef(id),
    keptDir: keptDirIn(context.places.stateDir),
  });
  return commit !== undefined && commit === snapshot?.commit;
}
