import { isCarrelError } from '../../domain/error/error.js';
import type { GcItem } from '../../domain/report/result.js';
import type { Snapshot } from '../../domain/snapshot/snapshot.js';
import { formatDuration } from '../../domain/text/format-quantity.js';
import { removeSnapshot } from '../capture/remove-snapshot.js';
import type { Context } from '../context.js';
import { describeWait, markNow, WAIT_MS, waitedSince } from './two-step-expiry.js';

/** A snapshot is removed in two steps (see two-step-expiry.ts). */
export async function expireSnapshot(
  context: Pick<Context, 'store' | 'backends' | 'now' | 'steadyTime'>,
  snapshot: Snapshot,
  execute: boolean,
): Promise<GcItem> {
  const leftMs = Date.parse(snapshot.expiresAt) - context.now();
  if (leftMs > 0) {
    if (execute && snapshot.expiring) await context.store.snapshots.update(snapshot.id, unmarked(), []);
    return keep(snapshot, execute, `can be restored for another ${formatDuration(leftMs)}`);
  }
  const expired = `expired ${formatDuration(-leftMs)} ago`;
  const waitedMs = waitedSince(context, snapshot.expiring);
  if (waitedMs === undefined || waitedMs < WAIT_MS) {
    const expiring = markNow(context, snapshot.expiring);
    if (execute) await context.store.snapshots.update(snapshot.id, { expiring }, []);
    return keep(snapshot, execute, describeWait(expired, waitedMs));
  }
  if (!execute) return describe(snapshot, 'remove', 'planned', expired);
  try {
    await removeSnapshot(context, snapshot);
  } catch (error) {
    // Without its backend it can't be removed, and the others can.
    if (!isCarrelError(error, 'BACKEND_UNAVAILABLE', 'BACKEND_NOT_TRUSTED', 'BACKEND_FAILED')) throw error;
    return keep(snapshot, execute, error.message);
  }
  return describe(snapshot, 'remove', 'removed', expired);
}

const unmarked = (): Partial<Snapshot> => ({ expiring: undefined });

const keep = (snapshot: Snapshot, execute: boolean, reason: string): GcItem =>
  describe(snapshot, 'keep', execute ? 'kept' : 'planned', reason);

const describe = (
  { id, workspaceName: name }: Snapshot,
  action: GcItem['action'],
  outcome: GcItem['outcome'],
  reason: string,
): GcItem => ({ kind: 'snapshot', id, name, path: null, bytes: null, action, outcome, reason });
