import { existsSync } from 'node:fs';
import { carrelError } from '../domain/error.js';
import type { NewEvent } from '../domain/event.js';
import { createId } from '../domain/id.js';
import { formatSize } from '../domain/quantity.js';
import type { Remains } from '../domain/remains.js';
import type { RemovalResult } from '../domain/result.js';
import { type AcceptedRisks, unacceptedRisks } from '../domain/risk.js';
import type { Snapshot, SnapshotReason } from '../domain/snapshot.js';
import type { WorkspaceRecord } from '../domain/workspace.js';
import type { CleanWorkspace } from '../workspace/backend.js';
import { isAbandoned } from './abandonment.js';
import { assessProcesses, assessRemoval } from './assess-removal.js';
import type { Context } from './context.js';
import { findWorkspace, type WorkspaceQuery } from './find.js';
import { journaled, type Progress } from './journaled.js';
import { settleOrLeave } from './leave-remains.js';
import { inRepositoryLock } from './repository-lock.js';
import { stopProcesses } from './stop-processes.js';
import { takeCommitsBack } from './take-commits-back.js';
import { takeSnapshot } from './take-snapshot.js';
import type { TaskRiskOptions } from './task-of-workspace.js';
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
 * first moved out of reach and then held by a snapshot; only after that anything is deleted. Where there are many, that
 * is left to the background.
 */
export async function removeWorkspace(context: Context, input: RemoveInput): Promise<RemovalResult> {
  const record = await findWorkspace(context, input);
  const { accepted, reason = 'down', signal } = input;
  return removeRecord(context, record, { accepted, reason, signal });
}

export async function removeRecord(
  context: Context,
  record: WorkspaceRecord,
  order: RemovalOrder,
): Promise<RemovalResult> {
  const { remains, ...removed } = await moveRecordAside(context, record, order);
  const warnings = await settleOrLeave(context, remains);
  return { ...removed, warnings: [...removed.warnings, ...warnings] };
}

export interface RemovalOrder extends TaskRiskOptions {
  readonly accepted: AcceptedRisks;
  /** The workspace's branch stays while its commits are not landed, so that they are no risk. */
  readonly keepBranch?: boolean | undefined;
  readonly reason: SnapshotReason;
  readonly signal?: AbortSignal | undefined;
}

/** Files that were moved aside, which the caller has to settle (see leave-remains.ts). */
interface WithRemains {
  readonly remains: readonly Remains[];
}

/** The whole of a removal but for the deletion of the files. */
export async function moveRecordAside(
  context: Context,
  record: WorkspaceRecord,
  order: RemovalOrder,
): Promise<RemovalResult & WithRemains> {
  const { accepted, keepBranch: keepsBranch, reason, signal, forOwnTask } = order;
  const { risks, processes, clean } = await whileReady(context, record, async () => {
    const taken = await takeCommitsBack(context, record, signal);
    return assessRemoval(context, record, { taken, keepsBranch, forOwnTask });
  });
  const refused = unacceptedRisks(risks, accepted);
  if (refused.length > 0) throw carrelError('REMOVAL_REFUSED', { name: record.name, risks: refused });
  signal?.throwIfAborted();
  await stopProcesses(record, processes);
  if (record.sandbox) await (await context.sandboxes()).stop(record);
  const backend = context.backends[record.backend];
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
      backend.ownsFiles
        ? removeFiles(context, record, { ...plan, signal }, progress, reached)
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

interface RemovalPlan extends RemovalOrder {
  readonly snapshotId: string;
  /** Whether there is anything to take a snapshot of. */
  readonly hasRemains: boolean;
  readonly clean?: CleanWorkspace | undefined;
}

/** Commits are given up for the sake of a snapshot that holds them; where none can be taken, none are given up. */
async function planRemoval(
  context: Context,
  record: WorkspaceRecord,
  order: RemovalOrder,
): Promise<RemovalPlan> {
  const hasRemains = await context.backends[record.backend].removal.hasRemains(record);
  const snapshotId = createId('snap', context.ids);
  return { ...order, accepted: hasRemains ? order.accepted : {}, snapshotId, hasRemains };
}

/** A snapshot that was taken without a look at the files is yet to be proven by one. */
const holdsOf = ({ clean }: Pick<RemovalPlan, 'clean'>): 'nothing' | 'rubbish' =>
  clean ? 'nothing' : 'rubbish';

/** How far this process got; what it has not claimed belongs to somebody else and is not undone. */
export interface Reached {
  claimed: boolean;
  snapshotted: boolean;
}

type Removed = Pick<RemovalResult, 'snapshot' | 'deletedBranch' | 'keptBranch' | 'warnings'> & WithRemains;

const describe = ({ id, name, path }: WorkspaceRecord) => ({ id, name, path });

async function forget(
  context: Context,
  record: WorkspaceRecord,
  operationId: string,
  reached: Reached,
): Promise<Removed> {
  await claim(context, record, operationId, reached);
  await context.store.workspaces.remove(record.id, [event('workspace.removed', record)]);
  return { snapshot: null, deletedBranch: null, keptBranch: null, warnings: [], remains: [] };
}

async function removeFiles(
  context: Context,
  record: WorkspaceRecord,
  plan: RemovalPlan,
  progress: Progress<'down'>,
  reached: Reached,
): Promise<Removed> {
  const { signal } = plan;
  await claim(context, record, progress.id, reached);
  await progress.step('recorded');
  await context.backends[record.backend].removal.setAside(record);
  await progress.step('set-aside');
  await requireQuiet(context, record, plan.accepted);
  signal?.throwIfAborted();
  const snapshot = plan.hasRemains ? await holdFiles(context, record, plan, progress) : null;
  signal?.throwIfAborted();
  await progress.step('snapshotted');
  reached.snapshotted = true;
  const { accepted, reason, snapshotId, clean } = plan;
  const ending = {
    accepted,
    reason,
    snapshotId,
    holds: holdsOf(plan),
    held: snapshot?.commit ?? null,
    clean,
  };
  const finished = await finishRemoval(context, record, ending, progress);
  const warnings = [...finished.warnings, ...describeLeftOut(snapshot?.omitted ?? [])];
  return { ...finished, snapshot: snapshot?.id ?? null, warnings };
}

/** Of what git has inside: commits that the snapshot holds in part do not come back. */
function describeLeftOut(omitted: Snapshot['omitted']): string[] {
  const parts = omitted.filter(({ path, bytes }) => bytes > 0 && /^\.(git|jj)\//.test(path));
  return parts.map(
    ({ path, bytes }) => `${path} (${formatSize(bytes)}) is not in the snapshot: it was too large`,
  );
}

function holdFiles(
  context: Context,
  record: WorkspaceRecord,
  { snapshotId, reason, clean }: RemovalPlan,
  progress: Progress<'down'>,
) {
  const { removal, cleanRemoval } = context.backends[record.backend];
  return takeSnapshot(context, record, {
    id: snapshotId,
    reason,
    message: null,
    filesAt: removal.asideOf(record),
    capture: clean && cleanRemoval && (request => cleanRemoval.capture(record, clean, request)),
    onCaptured: () => progress.step('captured'),
  });
}

/** What the part of a removal that only goes forward needs to know. */
export interface RemovalEnding extends Omit<RemovalOrder, 'signal'> {
  readonly snapshotId: string;
  readonly holds: 'nothing' | 'rubbish';
  /** The snapshot's commit. */
  readonly held: string | null;
  readonly clean?: CleanWorkspace | undefined;
}

/** The part that only goes forward; recovery enters here too. */
export async function finishRemoval(
  context: Context,
  record: WorkspaceRecord,
  ending: RemovalEnding,
  progress: Pick<Progress<'down'>, 'step'>,
): Promise<Omit<Removed, 'snapshot'>> {
  const { removal } = context.backends[record.backend];
  const { accepted, held, clean } = ending;
  const branch = await inRepositoryLock(context, record, () =>
    removal.unregister(record, accepted, held, clean),
  );
  await progress.step('unregistered');
  if (record.sandbox) await (await context.sandboxes()).remove(record);
  const remains = await handOver(context, record, ending);
  await progress.step('handed-over');
  await context.store.workspaces.remove(record.id, [event('workspace.removed', record)]);
  await progress.step('done');
  return { ...branch, warnings: [], remains };
}

/** The files go on as remains of this process, and the workspace's name and place are free. */
async function handOver(
  context: Context,
  record: WorkspaceRecord,
  { snapshotId, reason, holds }: RemovalEnding,
): Promise<Remains[]> {
  const { removal } = context.backends[record.backend];
  // A crash may have come between this and the end, and others look for what is left as well.
  const present = await context.store.remains.find(snapshotId);
  if (present) return adoptAbandoned(context, present);
  const directory = removal.remainsOf?.(record);
  if (directory === undefined || !existsSync(directory)) {
    await removal.destroy(record);
    await tidyRoot(context);
    return [];
  }
  const { repositoryId, repository, commonDir, branch, base } = record;
  const remains: Remains = {
    id: snapshotId,
    directory,
    holds,
    isPartial: false,
    lower: null,
    ...{ repositoryId, repository, commonDir, branch, base, reason },
    workspaceId: record.id,
    workspaceName: record.name,
    createdAt: new Date(context.now()).toISOString(),
    owner: context.self,
  };
  await context.store.remains.insert(remains);
  return [remains];
}

/** Nothing when they are another's to settle. */
async function adoptAbandoned(context: Context, present: Remains): Promise<Remains[]> {
  if (!isAbandoned(present.owner, present.createdAt, context.now())) return [];
  const own = await context.store.remains.adopt(present, context.self);
  return own ? [own] : [];
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
export async function claim(
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
export async function requireQuiet(
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
