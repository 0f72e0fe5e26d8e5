import { carrelError, isCarrelError } from '../../domain/error/error.js';
import type { NewEvent } from '../../domain/event.js';
import type {
  ChangingFiles,
  OmittedFile,
  Snapshot,
  SnapshotReason,
  SnapshotSet,
} from '../../domain/snapshot/snapshot.js';
import { formatSnapshotMessage } from '../../domain/snapshot/snapshot-note.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import type { BytePath } from '../../git/byte-path.js';
import type { Captured, CaptureRequest } from '../../workspace/backend.js';
import type { Context } from '../context.js';
import { findSnapshotRules } from '../settings/snapshot-rules.js';

export interface SnapshotRequest {
  /** From `createId('snap')`; in the journal before the call, so that recovery finds what exists of it. */
  readonly id: string;
  readonly reason: SnapshotReason;
  readonly message: string | null;
  /** Of a workspace with several repositories, the snapshots of all parts. */
  readonly set?: SnapshotSet | undefined;
  /** Where the files are when not at the workspace's path. */
  readonly filesAt?: string | undefined;
  /** What the snapshot leaves out, with messages. */
  readonly leftOut?: ReadonlyMap<BytePath, OmittedFile> | undefined;
  /** Whether to refuse a snapshot of changing files: WORKSPACE_BUSY instead. */
  readonly requiresStill?: boolean | undefined;
  /** Replaces the backend's own capture, for callers that know the content; it is verified later. */
  readonly capture?: ((request: CaptureRequest) => Promise<Captured>) | undefined;
  /** Called when the ref exists and the record is not updated yet. */
  readonly onCaptured: () => Promise<void>;
}

const DAY_MS = 86_400_000;

/** Records the snapshot, captures it, and records that it is complete: in this order, so that recovery can find it. */
export async function takeSnapshot(
  context: Context,
  record: WorkspaceRecord,
  request: SnapshotRequest,
): Promise<Snapshot> {
  const snapshots = context.backends.of(record.backend).snapshots;
  if (!snapshots) throw carrelError('NOT_SUPPORTED', { what: 'be snapshotted', backend: record.backend });
  const { limits, keepDays } = await findSnapshotRules(context, record);
  const draft = await describeSnapshot(context, record, request, keepDays);
  const event = (type: NewEvent['type']): NewEvent => ({
    type,
    repositoryId: record.repositoryId,
    workspaceId: record.id,
    data: { snapshot: draft.id, reason: request.reason },
  });
  await context.store.snapshots.insert(draft, [event('snapshot.taking')]);
  const capture = request.capture ?? (capturing => snapshots.capture(record, capturing));
  const attempt = capture({
    snapshotId: draft.id,
    message: formatSnapshotMessage(draft),
    limits,
    at: new Date(draft.createdAt),
    filesAt: request.filesAt,
    onKept: () => context.onStep('snapshot', 'kept'),
    privateGitDir: record.sandbox && (await context.sandboxes()).placeOf(record.id).gitDir,
    privateHome: record.sandbox && (await context.sandboxes()).placeOf(record.id).home,
    leftOut: request.leftOut && new Set(request.leftOut.keys()),
  }).then(async captured => {
    if (request.requiresStill) requireNotChanging(record, captured);
    if (!request.capture) await requireWhole(context, { ...draft, commit: captured.commit });
    return captured;
  });
  const captured = await attempt.catch(async error => {
    await snapshots.release(draft).catch(() => undefined);
    await context.store.snapshots.remove(draft.id, [event('snapshot.failed')]);
    throw withOriginalPath(error, record, request.filesAt);
  });
  await request.onCaptured();
  const { commit, kept = null, files } = captured;
  const omitted = [...captured.omitted, ...(request.leftOut?.values() ?? [])];
  const changing = describeChanging(captured, context.now());
  if (changing) context.narrate(`warning: ${formatChanging(changing)}`);
  const done = { commit, kept, files, omitted, ...(changing && { changing }) };
  await context.store.snapshots.update(draft.id, done, [event('snapshot.taken')]);
  return { ...draft, ...done };
}

/** For people: the files of a snapshot that changed while it was taken. */
function formatChanging({ at, count, paths }: ChangingFiles): string {
  const files = count === 1 ? '1 file' : `${count} files`;
  return `${files} changed while the snapshot was taken: ${formatPaths(count, paths)}; it holds them as they were at ${at}`;
}

/** The first paths, and how many more there are. */
const formatPaths = (count: number, paths: readonly string[]): string =>
  [...paths, ...(count > paths.length ? [`and ${count - paths.length} more`] : [])].join(', ');

/** How many of the files that kept changing are named. */
const MOST_CHANGING = 5;

export function describeChanging({ changing = [] }: Captured, now: number): ChangingFiles | undefined {
  if (changing.length === 0) return undefined;
  const at = new Date(now).toISOString();
  return { at, count: changing.length, paths: changing.slice(0, MOST_CHANGING) };
}

/**
 * Until the pin existed the objects were unreachable, and the user's `git prune --expire=now` may have deleted some. The files are
 * still there: better no snapshot than a partial one.
 */
export async function requireWhole(context: Pick<Context, 'backends'>, snapshot: Snapshot): Promise<void> {
  const { snapshots } = context.backends.of(snapshot.backend);
  if ((await snapshots?.verify(snapshot)) === snapshot.commit) return;
  await snapshots?.release(snapshot);
  throw carrelError('SNAPSHOT_BROKEN', {
    id: snapshot.id,
    problem: 'git deleted parts of it while it was taken',
  });
}

/** Later writes would be lost with the files. */
function requireNotChanging({ name }: WorkspaceRecord, { changing = [] }: Captured): void {
  if (changing.length === 0) return;
  const status = `in use: ${formatPaths(changing.length, changing.slice(0, MOST_CHANGING))} being written`;
  throw carrelError('WORKSPACE_BUSY', { name, status });
}

/** Files that were set aside are back at their path when the message is read. */
function withOriginalPath(error: unknown, record: WorkspaceRecord, filesAt: string | undefined): unknown {
  if (!filesAt || !isCarrelError(error, 'FILE_UNREADABLE')) return error;
  const { path, problem } = error.details as { path: string; problem: string };
  return carrelError('FILE_UNREADABLE', { path: path.replace(filesAt, record.path), problem }, error);
}

/** What a snapshot's record takes from that of its workspace, which may be gone. */
type SnapshotSource = Pick<
  WorkspaceRecord,
  'id' | 'name' | 'repository' | 'repositoryId' | 'commonDir' | 'backend' | 'branch' | 'base' | 'sandbox'
> &
  Partial<Pick<WorkspaceRecord, 'isolation' | 'group'>>;

export async function describeSnapshot(
  context: Pick<Context, 'store' | 'backends' | 'now'>,
  record: SnapshotSource,
  request: Pick<SnapshotRequest, 'id' | 'reason' | 'message' | 'set'>,
  keepDays: number,
): Promise<Snapshot> {
  const { id } = request;
  const now = context.now();
  // A clock that was set back would have it expire before its time.
  const latest = Date.parse((await context.store.events.latestTime()) ?? '') || now;
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
    ...(record.group && { group: { ...record.group, ...(request.set && { set: request.set }) } }),
    commit: null,
    ...(context.backends.of(record.backend).snapshots?.place(record, id) as {
      objectStore: string;
      ref: string;
    }),
    reason: request.reason,
    message: request.message,
    createdAt: new Date(now).toISOString(),
    expiresAt: new Date(Math.max(now, latest) + keepDays * DAY_MS).toISOString(),
    files: 0,
    omitted: [],
  };
}

/** Everything that a restore needs to recreate the same sandbox around the files. */
function describeIsolation({
  sandbox,
  isolation,
}: SnapshotSource): Pick<Snapshot, 'isolation' | 'sandbox' | 'isStrict'> {
  if (!sandbox) return {};
  return { isolation: 'full', sandbox, ...(isolation?.isStrict && { isStrict: true }) };
}

export async function removePendingSnapshots(
  context: Pick<Context, 'store' | 'backends'>,
  workspaceId: string,
): Promise<void> {
  for (const { id } of await context.store.snapshots.list({ workspaceId }))
    await removePendingSnapshot(context, id);
}

/**
 * After a crash: an incomplete snapshot was never reported, and its files are still there.
 * It is deleted, the ref first.
 */
export async function removePendingSnapshot(
  context: Pick<Context, 'store' | 'backends'>,
  id: string,
): Promise<void> {
  const snapshot = await context.store.snapshots.find(id);
  if (snapshot?.commit !== null) return;
  await context.backends.of(snapshot.backend).snapshots?.release(snapshot);
  await context.store.snapshots.remove(id, []);
}

/** The same; of snapshots that are taken together, a complete one too, because the others may be missing. */
export async function removeUnfinished(
  context: Pick<Context, 'store' | 'backends'>,
  { snapshotId, isPart }: { readonly snapshotId: string; readonly isPart: boolean },
): Promise<void> {
  if (!isPart) return removePendingSnapshot(context, snapshotId);
  const snapshot = await context.store.snapshots.find(snapshotId);
  if (!snapshot) return;
  await context.backends.of(snapshot.backend).snapshots?.release(snapshot);
  await context.store.snapshots.remove(snapshotId, []);
}
