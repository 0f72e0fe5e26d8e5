import { carrelError } from '../domain/error.js';
import type { NewEvent } from '../domain/event.js';
import type { RemovalResult } from '../domain/result.js';
import { type AcceptedRisks, unacceptedRisks } from '../domain/risk.js';
import type { SnapshotReason } from '../domain/snapshot.js';
import type { WorkspaceRecord } from '../domain/workspace.js';
import { assessProcesses, assessRemoval } from './assess-removal.js';
import type { Context } from './context.js';
import { findWorkspace, type WorkspaceQuery } from './find.js';
import { journaled, type Progress } from './journaled.js';
import { inRepositoryLock } from './repository-lock.js';
import { stopProcesses } from './stop-processes.js';
import { takeSnapshot } from './take-snapshot.js';

export interface RemoveInput extends WorkspaceQuery {
  readonly accepted: AcceptedRisks;
  readonly reason?: SnapshotReason | undefined;
}

/**
 * Removes a workspace when nothing can be lost by it, or when the caller accepts what can. In any case its files are
 * first moved out of reach and then held by a snapshot; only after that anything is deleted.
 */
export async function removeWorkspace(context: Context, input: RemoveInput): Promise<RemovalResult> {
  const record = await findWorkspace(context, input);
  return removeRecord(context, record, input.accepted, input.reason ?? 'down');
}

export async function removeRecord(
  context: Context,
  record: WorkspaceRecord,
  accepted: AcceptedRisks,
  reason: SnapshotReason,
): Promise<RemovalResult> {
  const { risks, processes } = await assessRemoval(context, record);
  const refused = unacceptedRisks(risks, accepted);
  if (refused.length > 0) throw carrelError('REMOVAL_REFUSED', { name: record.name, risks: refused });
  await stopProcesses(record, processes);
  const operation = {
    kind: 'down',
    workspaceId: record.id,
    repositoryId: record.repositoryId,
    data: { accepted, reason },
  } as const;
  const backend = context.backends[record.backend];
  const reached: Reached = { claimed: false, snapshotted: false };
  const removed = await journaled(
    context,
    operation,
    progress =>
      backend.ownsFiles
        ? removeFiles(context, record, accepted, reason, progress, reached)
        : forget(context, record, reached),
    async () => {
      // Once the snapshot stands there is no way back, only forward: recovery finishes what this process could not.
      if (reached.snapshotted) return false;
      if (reached.claimed) await undoRemoval(context, record);
      return true;
    },
  );
  const deletedBranch =
    record.ownsBranch && backend.ownsFiles && removed.keptBranch === null ? record.branch : null;
  return {
    ...describe(record),
    ...removed,
    deletedBranch,
    stopped: processes.map(found => found.pid),
    warnings: [],
  };
}

/** How far this process got; what it has not claimed belongs to somebody else and is not undone. */
interface Reached {
  claimed: boolean;
  snapshotted: boolean;
}

type Removed = Pick<RemovalResult, 'snapshot' | 'keptBranch'>;

const describe = ({ id, name, path }: WorkspaceRecord) => ({ id, name, path });

async function forget(context: Context, record: WorkspaceRecord, reached: Reached): Promise<Removed> {
  await claim(context, record, reached);
  await context.store.workspaces.remove(record.id, [event('workspace.removed', record)]);
  return { snapshot: null, keptBranch: null };
}

async function removeFiles(
  context: Context,
  record: WorkspaceRecord,
  accepted: AcceptedRisks,
  reason: SnapshotReason,
  progress: Progress<'down'>,
  reached: Reached,
): Promise<Removed> {
  const { removal } = context.backends[record.backend];
  await claim(context, record, reached);
  await progress.step('recorded');
  await removal.setAside(record);
  await progress.step('set-aside');
  await requireQuiet(context, record, accepted);
  const snapshot = await takeSnapshot(context, record, {
    reason,
    message: null,
    filesAt: removal.asideOf(record),
    onCaptured: snapshotId => progress.step('captured', { snapshotId }),
  });
  await progress.step('snapshotted');
  reached.snapshotted = true;
  return { snapshot: snapshot.id, ...(await finishRemoval(context, record, accepted, progress)) };
}

/** The part that only goes forward; recovery enters here too. */
export async function finishRemoval(
  context: Context,
  record: WorkspaceRecord,
  accepted: AcceptedRisks,
  progress: Progress<'down'>,
): Promise<{ keptBranch: string | null }> {
  const { removal } = context.backends[record.backend];
  const { keptBranch } = await inRepositoryLock(context, record, () => removal.unregister(record, accepted));
  await progress.step('unregistered');
  await removal.destroy(record);
  await progress.step('destroyed');
  await context.store.workspaces.remove(record.id, [event('workspace.removed', record)]);
  await progress.step('done');
  return { keptBranch };
}

/** Puts everything back as it was before the snapshot stood. */
export async function undoRemoval(context: Context, record: WorkspaceRecord): Promise<void> {
  await context.backends[record.backend].removal.putBack(record);
  await context.store.workspaces.update(record.id, 'removing', { status: 'ready' }, [
    event('workspace.removal-undone', record),
  ]);
}

/** Only one process gets to remove a workspace, and only while nobody has leased it since we looked. */
async function claim(context: Context, record: WorkspaceRecord, reached: Reached): Promise<void> {
  const claimed = await context.store.workspaces.update(record.id, 'ready', { status: 'removing' }, [
    event('workspace.removing', record),
  ]);
  if (!claimed) {
    const present = await context.store.workspaces.find(record.id);
    throw present
      ? carrelError('WORKSPACE_BUSY', { name: record.name, status: present.status })
      : carrelError('WORKSPACE_NOT_FOUND', { name: record.name, known: [] });
  }
  reached.claimed = true;
  if (claimed.lease?.id !== record.lease?.id) {
    throw carrelError('WORKSPACE_BUSY', { name: record.name, status: `leased by ${claimed.lease?.holder}` });
  }
}

/** A process that slipped in between the look and the move still writes to the files that are now aside. */
async function requireQuiet(
  context: Context,
  record: WorkspaceRecord,
  accepted: AcceptedRisks,
): Promise<void> {
  const aside = context.backends[record.backend].removal.asideOf(record);
  const { risks, processes } = await assessProcesses(context, record, aside);
  if (risks.length === 0) return;
  if (!accepted.stopProcesses) throw carrelError('REMOVAL_REFUSED', { name: record.name, risks });
  await stopProcesses(record, processes);
}

const event = (type: NewEvent['type'], record: WorkspaceRecord): NewEvent => ({
  type,
  repositoryId: record.repositoryId,
  workspaceId: record.id,
  data: { name: record.name, path: record.path },
});
