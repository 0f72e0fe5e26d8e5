import { carrelError } from '../../domain/error/error.js';
import { createId } from '../../domain/id.js';
import type { RemovalResult } from '../../domain/report/result.js';
import type { Snapshot, SnapshotReason, SnapshotSet } from '../../domain/snapshot/snapshot.js';
import { formatSize } from '../../domain/text/format-quantity.js';
import { type AcceptedRisks, unacceptedRisks } from '../../domain/workspace/risk.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { closeOpened, openDirectory } from '../../git/files/open-unreadable.js';
import type { CleanWorkspace } from '../../workspace/backend.js';
import { isUnreachable } from '../../workspace/location/folder-identity.js';
import { listCheckpoints } from '../capture/remove-checkpoints.js';
import { awaitSnapshot, claimReady } from '../capture/snapshot-claim.js';
import type { Context } from '../context.js';
import { changeTogether, journaled, type Progress, type TransactionPart } from '../guard/journaled.js';
import type { TaskRiskOptions } from '../guard/task-of-workspace.js';
import { whileReady } from '../guard/while-ready.js';
import { importCommits } from '../sandbox/import-commits.js';
import { assessCommands, assessProcesses, assessRemoval } from './assess-removal.js';
import { finishRemoval, type Removed, removalEvent, type WithRemains } from './finish-removal.js';
import { restoreDeleted } from './restore-for-removal.js';
import { NOTHING_OPENED, snapshotAsideFiles } from './snapshot-aside-files.js';
import { stopProcesses } from './stop-workspace-processes.js';

export interface RemovalOrder extends TaskRiskOptions {
  readonly accepted: AcceptedRisks;
  /** The workspace's branch stays while its commits are not landed, so that they are not a risk. */
  readonly keepBranch?: boolean | undefined;
  readonly reason: SnapshotReason;
  readonly signal?: AbortSignal | undefined;
  /** Of a workspace with several repositories: the snapshots that are taken together. */
  readonly set?: SnapshotSet | undefined;
  /** Then all parts pass the point of no return together. */
  readonly passTogether?: ((own: TransactionPart) => Promise<void>) | undefined;
}

/** The whole removal of one workspace, or of one part of it, except deleting the files. */
export async function moveOneAside(
  context: Context,
  record: WorkspaceRecord,
  order: RemovalOrder,
): Promise<RemovalResult & WithRemains> {
  const mayOpen = order.accepted.discardChanges && context.backends.of(record.backend).ownsFiles;
  const opened = mayOpen ? openDirectory(record.path) : NOTHING_OPENED;
  try {
    return await moveOpenedAside(context, record, order);
  } catch (error) {
    closeOpened(record.path, opened);
    throw error;
  }
}

async function moveOpenedAside(
  context: Context,
  record: WorkspaceRecord,
  order: RemovalOrder,
): Promise<RemovalResult & WithRemains> {
  const { accepted, keepBranch: keepsBranch, reason, signal, forOwnTask } = order;
  await awaitSnapshot(context, record, signal);
  const { risks, processes, clean } = await whileReady(context, record, async () => {
    const imported = await importCommits(context, record, signal);
    return assessRemoval(context, record, { imported, keepsBranch, forOwnTask });
  });
  const refused = unacceptedRisks(risks, accepted);
  if (refused.length > 0) throw carrelError('REMOVAL_REFUSED', { name: record.name, risks: refused });
  signal?.throwIfAborted();
  await stopProcesses(record, processes);
  if (record.sandbox) await (await context.sandboxes()).stop(record);
  const backend = context.backends.of(record.backend);
  const plan = { ...(await planRemoval(context, record, order)), clean };
  const operation = {
    kind: 'down',
    workspaceId: record.id,
    repositoryId: record.repositoryId,
    data: { accepted: plan.accepted, reason, snapshotId: plan.snapshotId, holds: holdsOf(plan) },
    places: [record.commonDir],
  } as const;
  const reached: Reached = { claimed: false, snapshotted: false };
  const removed = await journaled(
    context,
    operation,
    progress =>
      backend.ownsFiles || record.sandbox
        ? removeFiles(context, record, { ...plan, signal }, progress, reached)
        : removeRecordOnly(context, record, progress.id, reached),
    async () => {
      // Once the snapshot exists, the removal is always completed: recovery finishes what this process could not.
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

interface RemovalPlan extends RemovalOrder {
  readonly snapshotId: string;
  /** Whether there is anything to take a snapshot of. */
  readonly hasRemains: boolean;
  readonly clean?: CleanWorkspace | undefined;
}

/** Commits are discarded only because a snapshot holds them; without a snapshot none are discarded. */
async function planRemoval(
  context: Pick<Context, 'backends' | 'ids'>,
  record: WorkspaceRecord,
  order: RemovalOrder,
): Promise<RemovalPlan> {
  const hasRemains = await context.backends.of(record.backend).removal.hasRemains(record);
  const snapshotId = createId('snap', context.ids);
  return { ...order, accepted: hasRemains ? order.accepted : {}, snapshotId, hasRemains };
}

/** A fast snapshot still has to be verified against the files. */
const holdsOf = ({ clean }: Pick<RemovalPlan, 'clean'>): 'nothing' | 'rubbish' =>
  clean ? 'nothing' : 'rubbish';

/** How far this process got; what it has not claimed belongs to another process and is not undone. */
export interface Reached {
  claimed: boolean;
  snapshotted: boolean;
}

const describe = ({ id, name, path }: WorkspaceRecord) => ({ id, name, path });

async function removeRecordOnly(
  context: Pick<Context, 'store' | 'now' | 'narrate'>,
  record: WorkspaceRecord,
  operationId: string,
  reached: Reached,
): Promise<Removed> {
  await claim(context, record, operationId, reached);
  await context.store.workspaces.remove(record.id, [removalEvent('workspace.removed', record)]);
  return { snapshot: null, omitted: [], deletedBranch: null, keptBranch: null, warnings: [], remains: [] };
}

async function removeFiles(
  context: Context,
  record: WorkspaceRecord,
  plan: RemovalPlan,
  progress: Progress<'down'>,
  reached: Reached,
): Promise<Removed> {
  const { signal } = plan;
  await claim(context, record, progress.id, reached, signal);
  await progress.step('recorded');
  const isDiskMissing = await isUnreachable(record);
  await context.backends.of(record.backend).removal.setAside(record);
  const keepsCheckpoints = plan.hasRemains && !(await restoreDeleted(context, record));
  await progress.step('set-aside', { keepsCheckpoints });
  await requireNoProcesses(context, record, plan.accepted);
  signal?.throwIfAborted();
  const { snapshot, leftOut } = await snapshotAsideFiles(context, record, {
    ...plan,
    onCaptured: () => progress.step('captured'),
  });
  const point: TransactionPart = {
    change: ({ journal }) => journal.advance(progress.id, context.self, 'snapshotted'),
    confirm: () => {
      reached.snapshotted = true;
      progress.pass('snapshotted');
    },
  };
  await (plan.passTogether?.(point) ?? changeTogether(context, [point]));
  const { accepted, reason, snapshotId, clean } = plan;
  const ending = {
    accepted,
    reason,
    snapshotId,
    holds: holdsOf(plan),
    held: snapshot?.commit ?? null,
    clean,
    keepsCheckpoints,
  };
  const finished = await finishRemoval(context, record, ending, progress);
  const omitted = snapshot?.omitted ?? [];
  const warnings = [
    ...finished.warnings,
    ...describeLeftOut(omitted, leftOut),
    ...(isDiskMissing
      ? [`none of its files are in a snapshot; they stay on their disk at ${record.path}`]
      : []),
  ];
  // A snapshot without files is not what the user would restore.
  const offered = snapshot && !keepsCheckpoints ? snapshot : await findLastCheckpoint(context, record);
  return { ...finished, snapshot: (offered ?? snapshot)?.id ?? null, omitted, warnings };
}

const findLastCheckpoint = async (
  context: Pick<Context, 'store'>,
  { id }: WorkspaceRecord,
): Promise<Snapshot | undefined> => (await listCheckpoints(context, id))[0];

/** For git inside the sandbox: commits that the snapshot holds only in part can't be restored. */
export function describeLeftOut(omitted: Snapshot['omitted'], leftOut: Snapshot['omitted']): string[] {
  const parts = omitted.filter(({ path, bytes }) => bytes > 0 && /^\.(git|jj)\//.test(path));
  return [
    ...parts.map(
      ({ path, bytes }) => `${path} (${formatSize(bytes)}) is not in the snapshot: it was too large`,
    ),
    ...leftOut.map(({ path, reason }) => `${path} is not in the snapshot: ${reason}`),
  ];
}

/** Undoes everything done before the snapshot. */
export async function undoRemoval(
  context: Pick<Context, 'store' | 'backends'>,
  record: WorkspaceRecord,
): Promise<void> {
  await context.backends.of(record.backend).removal.putBack(record);
  const patch = { status: 'ready', operationId: null } as const;
  await context.store.workspaces.update(record.id, 'removing', patch, [
    removalEvent('workspace.removal-undone', record),
  ]);
}

/**
 * Only one process gets to remove a workspace, and only while no process has leased it since the check or takes a snapshot of it.
 */
export async function claim(
  context: Pick<Context, 'store' | 'now' | 'narrate'>,
  record: WorkspaceRecord,
  operationId: string,
  reached: Reached,
  signal?: AbortSignal,
): Promise<void> {
  const patch = { status: 'removing', operationId } as const;
  const event = removalEvent('workspace.removing', record);
  const claimed = await claimReady(context, record, patch, event, { signal });
  reached.claimed = true;
  if (claimed.lease?.id !== record.lease?.id) {
    throw carrelError('WORKSPACE_BUSY', { name: record.name, status: `leased by ${claimed.lease?.holder}` });
  }
}

/** A process that started between the check and the move still writes to the files that are now set aside. */
export async function requireNoProcesses(
  context: Pick<Context, 'store' | 'backends' | 'self' | 'places' | 'cwd'>,
  record: WorkspaceRecord,
  accepted: AcceptedRisks,
): Promise<void> {
  const aside = context.backends.of(record.backend).removal.asideOf(record);
  const { ownsFiles } = context.backends.of(record.backend);
  const { risks, processes } = ownsFiles
    ? await assessProcesses(context, record, aside)
    : await assessCommands(context, record);
  if (risks.length === 0) return;
  if (!accepted.stopProcesses) throw carrelError('REMOVAL_REFUSED', { name: record.name, risks });
  await stopProcesses(record, processes);
}
