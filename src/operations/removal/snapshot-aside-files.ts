import type { Snapshot, SnapshotReason, SnapshotSet } from '../../domain/snapshot/snapshot.js';
import type { AcceptedRisks } from '../../domain/workspace/risk.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { closeOpened, type Opened, openUnreadable } from '../../git/files/open-unreadable.js';
import type { CleanWorkspace } from '../../workspace/backend.js';
import { takeSnapshot } from '../capture/take-snapshot.js';
import type { Context } from '../context.js';

/** A snapshot to take of files that were set aside. */
export interface AsideSnapshot {
  readonly snapshotId: string;
  readonly reason: SnapshotReason;
  readonly accepted: AcceptedRisks;
  /** Whether there is anything to take a snapshot of. */
  readonly hasRemains: boolean;
  readonly clean?: CleanWorkspace | undefined;
  readonly set?: SnapshotSet | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onCaptured: () => Promise<void>;
}

export interface Held {
  readonly snapshot: Snapshot | null;
  readonly leftOut: Snapshot['omitted'];
}

/**
 * Files without owner permission are opened up for the snapshot when the changes are discarded anyway; what still can't be captured is
 * left out and reported.
 */
export async function snapshotAsideFiles(
  context: Context,
  record: WorkspaceRecord,
  plan: AsideSnapshot,
): Promise<Held> {
  if (!plan.hasRemains) return { snapshot: null, leftOut: [] };
  const { removal, ownsFiles } = context.backends.of(record.backend);
  const aside = removal.asideOf(record);
  const mayOpen = plan.accepted.discardChanges && !plan.clean && ownsFiles;
  const opened = mayOpen ? openUnreadable(aside) : NOTHING_OPENED;
  try {
    const snapshot = await snapshotOpened(context, record, plan, opened);
    plan.signal?.throwIfAborted();
    return { snapshot, leftOut: [...opened.leftOut.values()] };
  } catch (error) {
    closeOpened(aside, opened);
    throw error;
  }
}

export const NOTHING_OPENED: Opened = { modes: new Map(), leftOut: new Map() };

function snapshotOpened(
  context: Context,
  record: WorkspaceRecord,
  { snapshotId, reason, clean, accepted, set, onCaptured }: AsideSnapshot,
  { leftOut }: Opened,
): Promise<Snapshot> {
  const { removal, cleanRemoval, ownsFiles } = context.backends.of(record.backend);
  return takeSnapshot(context, record, {
    id: snapshotId,
    reason,
    message: null,
    set,
    filesAt: removal.asideOf(record),
    leftOut,
    // Files that stay lose no later change.
    requiresStill: !accepted.discardChanges && ownsFiles,
    capture: clean && cleanRemoval && (request => cleanRemoval.capture(record, clean, request)),
    onCaptured,
  });
}
