import { setTimeout as delay } from 'node:timers/promises';
import { carrelError, isCarrelError } from '../../domain/error/error.js';
import { createId } from '../../domain/id.js';
import type { CheckpointState } from '../../domain/snapshot/checkpoint-state.js';
import type { Snapshot } from '../../domain/snapshot/snapshot.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import type { Fingerprint } from '../../git/files/work-tree-fingerprint.js';
import type { Context } from '../context.js';
import { listCommandPlaces } from '../group/sandbox-members.js';
import { journaled } from '../guard/journaled.js';
import { requireReady } from '../guard/require-ready.js';
import { inRepositoryLock } from '../repository/hold-repository-lock.js';
import { whileSandboxPaused } from '../sandbox/import-commits.js';
import { type CheckpointRules, findCheckpointRules } from '../settings/checkpoint-rules.js';
import { detectChange } from './detect-change.js';
import { listCheckpoints, releaseCheckpoints } from './remove-checkpoints.js';
import { removeSnapshot } from './remove-snapshot.js';
import { beginSnapshot } from './snapshot-claim.js';
import { removePendingSnapshot, takeSnapshot } from './take-snapshot.js';

/**
 * Checkpoints are snapshots that Carrel takes automatically, so that deleting the directory of a workspace loses little:
 *
 *     checkpoint-if-changed.ts    asks whether anything changed, after a command, every few minutes while one runs, and in
 *                            `carrel serve` for workspaces that people work in by themselves
 *     `carrel checkpoint`    in the background, when something did: this file
 *     operations/creation/restore-in-place.ts            restores the files in place
 *
 * They are for accidents and must not interfere: a removal does not wait for one, and their failures never fail another command.
 * The newest few of a workspace are kept, and a removal that has taken a full snapshot releases them.
 */
export async function takeCheckpoints(context: Context, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    const record = await context.store.workspaces.find(id);
    const rules = record && (await findCheckpointRules(context, record));
    if (!rules) continue;
    await waitForTurn(context, record, rules);
    const place = { repositoryId: `checkpoint of ${id}`, repository: record.path };
    await inRepositoryLock(context, place, () => checkpointOnce(context, id, rules)).catch(error =>
      recordFailure(context, id, error),
    );
  }
}

/** At most a tenth of the time is spent on this. */
const SHARE = 10;

/** A pause after the last one, so that many short commands do not make as many snapshots; longer where they take long. */
async function waitForTurn(
  context: Pick<Context, 'now'>,
  { checkpoint }: WorkspaceRecord,
  { pauseMs, intervalMs }: CheckpointRules,
): Promise<void> {
  const sinceMs = context.now() - Date.parse(checkpoint?.lookedAt ?? '');
  const wholeMs = Math.min(intervalMs, Math.max(pauseMs, SHARE * (checkpoint?.tookMs ?? 0)));
  // A clock that was set back waits no longer for that.
  if (sinceMs >= 0 && sinceMs < wholeMs) await delay(wholeMs - sinceMs);
}

async function checkpointOnce(context: Context, id: string, rules: CheckpointRules): Promise<void> {
  // Before the check: later changes are for another process.
  const record = await updateCheckpointState(context, id, { pending: undefined });
  if (!record) return;
  await requireReady(context, record);
  const startedAt = performance.now();
  const fingerprint = await detectChange(context, record);
  if (fingerprint?.isChanged && !(await isTooLargeToPause(context, record, fingerprint)))
    await checkpointJournaled(context, record, fingerprint, rules);
  const tookMs = Math.round(performance.now() - startedAt);
  await updateCheckpointState(context, id, { tookMs, lookedAt: new Date(context.now()).toISOString() });
}

/**
 * Files in a sandbox must not change while they are read, so it is paused: about a second for this many. With more files the agent
 * would be paused for longer every few minutes, so the checkpoint waits for the end of the command instead.
 */
const MOST_PAUSED_FILES = 20_000;

async function isTooLargeToPause(
  { store }: Pick<Context, 'store'>,
  record: WorkspaceRecord,
  { entries }: Fingerprint,
): Promise<boolean> {
  if (!record.sandbox || entries <= MOST_PAUSED_FILES) return false;
  const places = await listCommandPlaces({ store }, record);
  const running = await Promise.all(places.map(id => store.commands.list(id)));
  return running.flat().length > 0;
}

function checkpointJournaled(
  context: Context,
  record: WorkspaceRecord,
  current: Fingerprint,
  { kept }: CheckpointRules,
): Promise<void> {
  const snapshotId = createId('snap', context.ids);
  const { id: workspaceId, repositoryId } = record;
  return journaled(
    context,
    {
      kind: 'checkpoint',
      workspaceId,
      repositoryId,
      data: { snapshotId },
      places: [record.commonDir],
      // A reset waits for it, since its files would be mixed with the new ones.
      begin: beginSnapshot(context, record),
    },
    async progress => {
      await progress.step('recorded');
      const snapshot = await whileSandboxPaused(context, record, () =>
        takeSnapshot(context, record, {
          id: snapshotId,
          reason: 'checkpoint',
          message: null,
          onCaptured: async () => {
            await requireStillThere(context, record);
            await progress.step('captured');
          },
        }),
      );
      await recordCheckpoint(context, record, current, snapshot);
      await progress.step('remembered');
      if (await isNoMoreThanCommits(context, snapshot)) await removeSnapshot(context, snapshot);
      await releaseCheckpoints(context, record.id, kept);
      await progress.step('done');
    },
    async () => {
      await removePendingSnapshot(context, snapshotId);
      return true;
    },
  );
}

/** No operation waits for a checkpoint: when the files were moved or deleted during it, it may be partial. */
async function requireStillThere(
  context: Pick<Context, 'store' | 'backends'>,
  { id, name }: WorkspaceRecord,
): Promise<void> {
  const present = await context.store.workspaces.find(id);
  if (!present) throw carrelError('WORKSPACE_NOT_FOUND', { name, known: [] });
  await requireReady(context, present);
}

async function recordCheckpoint(
  context: Pick<Context, 'store'>,
  { id }: WorkspaceRecord,
  { hash: fingerprint, entries }: Fingerprint,
  { omitted }: Snapshot,
): Promise<void> {
  const passedOver = omitted.map(({ path }) => path);
  await updateCheckpointState(context, id, { fingerprint, entries, passedOver, failure: undefined });
}

/** Commits are in the repository anyway. A newer one without changes is only useful when an older one has some. */
async function isNoMoreThanCommits(
  context: Pick<Context, 'store'>,
  { id, workspaceId, files }: Snapshot,
): Promise<boolean> {
  const others = (await listCheckpoints(context, workspaceId)).filter(other => other.id !== id);
  return files === 0 && others.length === 0;
}

/** For `show` and `doctor`; on a full disk this may fail too. */
async function recordFailure(context: Pick<Context, 'store'>, id: string, error: unknown): Promise<void> {
  if (!isCarrelError(error)) throw error;
  if (!GONE.has(error.code))
    await updateCheckpointState(context, id, { failure: error.message }).catch(() => undefined);
}

const GONE: ReadonlySet<string> = new Set(['WORKSPACE_MISSING', 'WORKSPACE_BUSY', 'WORKSPACE_NOT_FOUND']);

/** Undefined when the workspace is not ready, or gone. */
export async function updateCheckpointState(
  { store }: Pick<Context, 'store'>,
  id: string,
  patch: CheckpointState,
): Promise<WorkspaceRecord | undefined> {
  return store.atomically(async ({ workspaces }) => {
    const record = await workspaces.find(id);
    return record && workspaces.update(id, 'ready', { checkpoint: { ...record.checkpoint, ...patch } }, []);
  });
}
