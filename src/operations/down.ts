import { carrelError, errnoOf } from '../domain/error.js';
import type { NewEvent } from '../domain/event.js';
import { createId } from '../domain/id.js';
import type { RemovalResult } from '../domain/result.js';
import { type AcceptedRisks, unacceptedRisks } from '../domain/risk.js';
import type { SnapshotReason } from '../domain/snapshot.js';
import type { WorkspaceRecord } from '../domain/workspace.js';
import type { Removal } from '../workspace/backend.js';
import { assessProcesses, assessRemoval } from './assess-removal.js';
import type { Context } from './context.js';
import { findWorkspace, type WorkspaceQuery } from './find.js';
import { journaled, type Progress } from './journaled.js';
import { inRepositoryLock } from './repository-lock.js';
import { stopProcesses } from './stop-processes.js';
import { takeSnapshot } from './take-snapshot.js';
import { tidyRoot } from './tidy-root.js';
import { whileReady } from './while-ready.js';

export interface RemoveInput extends WorkspaceQuery {
  readonly accepted: AcceptedRisks;
  readonly reason?: SnapshotReason | undefined;
  /** Heeded until the snapshot stands. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Removes a workspace when nothing can be lost by it, or when the caller accepts what can. In any case its files are
 * first moved out of reach and then held by a snapshot; only after that anything is deleted.
 */
export async function removeWorkspace(context: Context, input: RemoveInput): Promise<RemovalResult> {
  const record = await findWorkspace(context, input);
  return removeRecord(context, record, input.accepted, input.reason ?? 'down', input.signal);
}

export async function removeRecord(
  context: Context,
  record: WorkspaceRecord,
  accepted: AcceptedRisks,
  reason: SnapshotReason,
  signal?: AbortSignal,
): Promise<RemovalResult> {
  const { risks, processes } = await whileReady(context, record, () => assessRemoval(context, record));
  const refused = unacceptedRisks(risks, accepted);
  if (refused.length > 0) throw carrelError('REMOVAL_REFUSED', { name: record.name, risks: refused });
  signal?.throwIfAborted();
  await stopProcesses(record, processes);
  const backend = context.backends[record.backend];
  const request = await planRemoval(context, record, accepted, reason);
  const operation = {
    kind: 'down',
    workspaceId: record.id,
    repositoryId: record.repositoryId,
    data: { accepted: request.accepted, reason, snapshotId: request.snapshotId },
    places: [record.commonDir],
  } as const;
  const reached: Reached = { claimed: false, snapshotted: false };
  const removed = await journaled(
    context,
    operation,
    progress =>
      backend.ownsFiles
        ? removeFiles(context, record, { ...request, signal }, progress, reached)
        : forget(context, record, progress.id, reached),
    async () => {
      // Once the snapshot stands there is no way back, only forward: recovery finishes what this process could not.
      if (reached.snapshotted) return false;
      if (reached.claimed) await undoRemoval(context, record);
      return true;
    },
  );
  return {
    ...describe(record),
    ...removed,
    keptFiles: !backend.ownsFiles,
    stopped: processes.map(found => found.pid),
  };
}

interface RemovalPlan {
  readonly accepted: AcceptedRisks;
  readonly reason: SnapshotReason;
  readonly snapshotId: string;
  /** Whether there is anything to take a snapshot of. */
  readonly hasRemains: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** Commits are given up for the sake of a snapshot that holds them; where none can be taken, none are given up. */
async function planRemoval(
  context: Context,
  record: WorkspaceRecord,
  accepted: AcceptedRisks,
  reason: SnapshotReason,
): Promise<RemovalPlan> {
  const hasRemains = await context.backends[record.backend].removal.hasRemains(record);
  const snapshotId = createId('snap', context.ids);
  return { accepted: hasRemains ? accepted : {}, reason, snapshotId, hasRemains };
}

/** How far this process got; what it has not claimed belongs to somebody else and is not undone. */
interface Reached {
  claimed: boolean;
  snapshotted: boolean;
}

type Removed = Pick<RemovalResult, 'snapshot' | 'deletedBranch' | 'keptBranch' | 'warnings'>;

const describe = ({ id, name, path }: WorkspaceRecord) => ({ id, name, path });

async function forget(
  context: Context,
  record: WorkspaceRecord,
  operationId: string,
  reached: Reached,
): Promise<Removed> {
  await claim(context, record, operationId, reached);
  await context.store.workspaces.remove(record.id, [event('workspace.removed', record)]);
  return { snapshot: null, deletedBranch: null, keptBranch: null, warnings: [] };
}

async function removeFiles(
  context: Context,
  record: WorkspaceRecord,
  { accepted, reason, snapshotId, hasRemains, signal }: RemovalPlan,
  progress: Progress<'down'>,
  reached: Reached,
): Promise<Removed> {
  const { removal } = context.backends[record.backend];
  await claim(context, record, progress.id, reached);
  await progress.step('recorded');
  await removal.setAside(record);
  await progress.step('set-aside');
  await requireQuiet(context, record, accepted);
  signal?.throwIfAborted();
  const snapshot = hasRemains
    ? await takeSnapshot(context, record, {
        id: snapshotId,
        reason,
        message: null,
        filesAt: removal.asideOf(record),
        onCaptured: () => progress.step('captured'),
      })
    : null;
  signal?.throwIfAborted();
  await progress.step('snapshotted');
  reached.snapshotted = true;
  const held = snapshot?.commit ?? null;
  return {
    snapshot: snapshot?.id ?? null,
    ...(await finishRemoval(context, record, accepted, held, progress)),
  };
}

/** The part that only goes forward; recovery enters here too. `held` is the snapshot's commit. */
export async function finishRemoval(
  context: Context,
  record: WorkspaceRecord,
  accepted: AcceptedRisks,
  held: string | null,
  progress: Pick<Progress<'down'>, 'step'>,
): Promise<Omit<Removed, 'snapshot'>> {
  const { removal } = context.backends[record.backend];
  const branch = await inRepositoryLock(context, record, () => removal.unregister(record, accepted, held));
  await progress.step('unregistered');
  const warnings = await destroyFiles(removal, record);
  await tidyRoot(context);
  await progress.step('destroyed');
  await context.store.workspaces.remove(record.id, [event('workspace.removed', record)]);
  await progress.step('done');
  return { ...branch, warnings };
}

/** Files of another user, such as a container leaves, or a mount stay; the rest of Carrel must not stand still for them. */
async function destroyFiles(removal: Removal, record: WorkspaceRecord): Promise<string[]> {
  try {
    await removal.destroy(record);
    return [];
  } catch (error) {
    if (!['EACCES', 'EPERM', 'EBUSY', 'EROFS'].includes(errnoOf(error) ?? '')) throw error;
    const aside = removal.asideOf(record);
    return [`some files could not be deleted (${errnoOf(error)}); do it with: sudo rm -rf ${aside}`];
  }
}

/** Puts everything back as it was before the snapshot stood. */
export async function undoRemoval(context: Context, record: WorkspaceRecord): Promise<void> {
  await context.backends[record.backend].removal.putBack(record);
  const patch = { status: 'ready', operationId: null } as const;
  await context.store.workspaces.update(record.id, 'removing', patch, [
    event('workspace.removal-undone', record),
  ]);
}

/** Only one process gets to remove a workspace, and only while nobody has leased it since we looked. */
async function claim(
  context: Context,
  record: WorkspaceRecord,
  operationId: string,
  reached: Reached,
): Promise<void> {
  const patch = { status: 'removing', operationId } as const;
  const claimed = await context.store.workspaces.update(record.id, 'ready', patch, [
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
