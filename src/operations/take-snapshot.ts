import { carrelError, isCarrelError } from '../domain/error.js';
import type { NewEvent } from '../domain/event.js';
import type { Snapshot, SnapshotReason } from '../domain/snapshot.js';
import type { WorkspaceRecord } from '../domain/workspace.js';
import type { Captured, CaptureRequest } from '../workspace/backend.js';
import type { Context } from './context.js';
import { findSnapshotRules } from './snapshot-rules.js';

export interface SnapshotRequest {
  /** From `createId('snap')`; in the journal before the call, so that recovery finds what there is of it. */
  readonly id: string;
  readonly reason: SnapshotReason;
  readonly message: string | null;
  /** Where the files are when not at the workspace's path. */
  readonly filesAt?: string | undefined;
  /** Instead of the backend's own way, for whoever knows what is there; the files are proven to be so later. */
  readonly capture?: ((request: CaptureRequest) => Promise<Captured>) | undefined;
  /** Called when the ref stands and the record does not say so yet. */
  readonly onCaptured: () => Promise<void>;
}

const DAY_MS = 86_400_000;

/** Records the snapshot, captures it, and records that it is whole: in this order, so that a crash can find it. */
export async function takeSnapshot(
  context: Context,
  record: WorkspaceRecord,
  request: SnapshotRequest,
): Promise<Snapshot> {
  const snapshots = context.backends[record.backend].snapshots;
  if (!snapshots) throw carrelError('NOT_SUPPORTED', { what: 'be snapshotted', backend: record.backend });
  const { limits, keepDays } = await findSnapshotRules(context, record);
  const draft = describeSnapshot(context, record, request, keepDays);
  const event = (type: NewEvent['type']): NewEvent => ({
    type,
    repositoryId: record.repositoryId,
    workspaceId: record.id,
    data: { snapshot: draft.id, reason: request.reason },
  });
  await context.store.snapshots.insert(draft, [event('snapshot.taking')]);
  const capture = request.capture ?? (capturing => snapshots.capture(record, capturing));
  const captured = await capture({
    snapshotId: draft.id,
    message: request.message,
    limits,
    at: new Date(draft.createdAt),
    filesAt: request.filesAt,
    privateGitDir: record.sandbox && (await context.sandboxes()).placeOf(record.id).gitDir,
    privateHome: record.sandbox && (await context.sandboxes()).placeOf(record.id).home,
  }).catch(async error => {
    await context.store.snapshots.remove(draft.id, [event('snapshot.failed')]);
    throw inPlace(error, record, request.filesAt);
  });
  if (!request.capture) await requireWhole(context, { ...draft, commit: captured.commit });
  await request.onCaptured();
  const done = { commit: captured.commit, files: captured.files, omitted: [...captured.omitted] };
  await context.store.snapshots.update(draft.id, done, [event('snapshot.taken')]);
  return { ...draft, ...done };
}

/**
 * Until the pin stood nothing led to the objects, and a `git prune --expire=now` of the user's may have taken some. The
 * files are still there: better no snapshot than half of one.
 */
export async function requireWhole(context: Context, snapshot: Snapshot): Promise<void> {
  const { snapshots } = context.backends[snapshot.backend];
  if ((await snapshots?.verify(snapshot)) === snapshot.commit) return;
  await snapshots?.release(snapshot);
  throw carrelError('SNAPSHOT_BROKEN', { id: snapshot.id, problem: 'git has deleted parts of it meanwhile' });
}

/** Files that were aside are back when somebody reads of them. */
function inPlace(error: unknown, record: WorkspaceRecord, filesAt: string | undefined): unknown {
  if (!filesAt || !isCarrelError(error, 'FILE_UNREADABLE')) return error;
  const { path, problem } = error.details as { path: string; problem: string };
  return carrelError('FILE_UNREADABLE', { path: path.replace(filesAt, record.path), problem }, error);
}

/** What a snapshot's record takes from that of its workspace, which may be gone. */
type SnapshotSource = Pick<
  WorkspaceRecord,
  'id' | 'name' | 'repository' | 'repositoryId' | 'commonDir' | 'backend' | 'branch' | 'base' | 'sandbox'
> &
  Partial<Pick<WorkspaceRecord, 'isolation'>>;

export function describeSnapshot(
  context: Context,
  record: SnapshotSource,
  request: Pick<SnapshotRequest, 'id' | 'reason' | 'message'>,
  keepDays: number,
): Snapshot {
  const { id } = request;
  const now = context.now();
  return {
    id,
    workspaceId: record.id,
    workspaceName: record.name,
    repository: record.repository,
    repositoryId: record.repositoryId,
    backend: record.backend,
    branch: record.branch,
    base: record.base,
    ...describeIsolation(record),
    commit: null,
    ...(context.backends[record.backend].snapshots?.place(record, id) as {
      objectStore: string;
      ref: string;
    }),
    reason: request.reason,
    message: request.message,
    createdAt: new Date(now).toISOString(),
    expiresAt: new Date(now + keepDays * DAY_MS).toISOString(),
    files: 0,
    omitted: [],
  };
}

/** All that a restore needs to put the same sandbox around the files again. */
function describeIsolation({
  sandbox,
  isolation,
}: SnapshotSource): Pick<Snapshot, 'isolation' | 'sandbox' | 'isStrict'> {
  if (!sandbox) return {};
  return { isolation: 'full', sandbox, ...(isolation?.isStrict && { isStrict: true }) };
}

export async function dropPendingSnapshots(context: Context, workspaceId: string): Promise<void> {
  for (const { id } of await context.store.snapshots.list({ workspaceId }))
    await dropPendingSnapshot(context, id);
}

/**
 * After a crash: a snapshot that its record does not call whole was told to nobody, and what it was of is still there.
 * It goes, the ref first.
 */
export async function dropPendingSnapshot(context: Context, id: string): Promise<void> {
  const snapshot = await context.store.snapshots.find(id);
  if (snapshot?.commit !== null) return;
  await context.backends[snapshot.backend].snapshots?.release(snapshot);
  await context.store.snapshots.remove(id, []);
}
