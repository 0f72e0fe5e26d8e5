import { isCarrelError } from '../../domain/error/error.js';
import type { JournalEntry } from '../../domain/journal.js';
import { isSameProcess, NO_OWNER } from '../../domain/process-identity.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { isAlive } from '../../exec/process/identify-process.js';
import type { LandPlan } from '../../workspace/backend.js';
import { removePendingSnapshot, removePendingSnapshots, removeUnfinished } from '../capture/take-snapshot.js';
import type { Context } from '../context.js';
import { finishPutBack } from '../creation/restore-in-place.js';
import { stopOrphans } from '../creation/stop-leftover-processes.js';
import { undoUp } from '../creation/undo-up.js';
import { isAbandoned } from '../guard/abandonment.js';
import { recoverParts } from '../landing/move-back.js';
import { cleanUpPools } from '../pool/recover-pools.js';
import { cleanUpRemains, removeOrSchedule } from '../remains/schedule-remains.js';
import { finishRemoval, type RemovalEnding } from '../removal/finish-removal.js';
import { undoRemoval } from '../removal/move-aside.js';
import { inRepositoryLock } from '../repository/hold-repository-lock.js';
import { recoverReset } from '../reset/finish-reset.js';
import { cleanUpSandboxesIfAny } from '../sandbox/clean-up-sandboxes.js';
import { cleanUpScratch } from '../space/clean-up-scratch.js';
import { removeEmptyRoot, workspaceRootOf } from '../space/workspace-root.js';

/**
 * Cleans up after dead processes: called before every command, six short reads when there is nothing to do. An entry is adopted by
 * compare-and-swap, so that two concurrent commands do not both handle it.
 */
export async function recover(context: Context): Promise<void> {
  await cleanUpScratch(context.places.temporaryRoot);
  await cleanUpScratch(context.places.stateDir);
  if (await cleanUpScratch(workspaceRootOf(context, { root: null }))) await removeEmptyRoot(context);
  const entries = await context.store.journal.list();
  const isLeft = ({ owner, startedAt }: JournalEntry) => isAbandoned(owner, startedAt, context.now());
  await recoverEntries(context, entries.filter(isLeft));
  await removeDeadCommands(context);
  await cleanUpSandboxesIfAny(context);
  await cleanUpRemains(context);
  await cleanUpPools(context);
}

/** If Carrel was killed, the end of its command was never recorded. */
async function removeDeadCommands({ store }: Pick<Context, 'store'>): Promise<void> {
  for (const { id, process } of await store.commands.list())
    if (isAlive(process) === 'dead') await store.commands.remove(id);
}

/**
 * Retries what no process could clean up before; for long-running processes, which otherwise recover only at their start. An operation
 * that still runs, in this process or another, is never included: only its end releases its entry.
 */
export async function recoverReleased(context: Context): Promise<void> {
  if (context.store.isReadOnly) return;
  const isDue = ({ owner, data }: JournalEntry) =>
    isSameProcess(owner, NO_OWNER) && Math.abs(context.now() - Number(data.triedAt ?? 0)) > PAUSE_MS;
  const released = (await context.store.journal.list()).filter(isDue);
  await recoverEntries(context, released);
}

/** A command that has just failed does not retry. */
const PAUSE_MS = 2000;

async function recoverEntries(context: Context, entries: readonly JournalEntry[]): Promise<void> {
  for (const entry of entries) {
    if (await context.store.journal.adopt(entry.id, entry.owner, context.self))
      await recoverEntry(context, entry).catch(ignoreLostEntry);
  }
}

/** This process was suspended for long, and another one has taken the entry. */
function ignoreLostEntry(error: unknown): void {
  if (!isCarrelError(error, 'OPERATION_LOST')) throw error;
}

/** A failed cleanup must not block every other command. */
async function recoverEntry(context: Context, entry: JournalEntry): Promise<void> {
  const { id, kind, step, repositoryId, workspaceId } = entry;
  try {
    await stopOrphans(context, entry);
    await finishOrUndo(context, entry);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const hint = isCarrelError(error) ? ` (${error.hint})` : '';
    context.narrate(`warning: an interrupted \`${kind}\` could not be cleaned up yet: ${message}${hint}`);
    await releaseEntry(context, entry);
    return;
  }
  const event = { type: 'recovery.done', repositoryId, workspaceId, data: { id, kind, step } } as const;
  await context.store.events.append([event]);
  await context.store.journal.finish(id, context.self);
  context.narrate(`cleaned up an interrupted \`${kind}\` (it had reached "${step}")`);
}

/** This process may live long: as its owner it would keep others from retrying. */
async function releaseEntry(
  context: Pick<Context, 'store' | 'now' | 'self'>,
  { id }: JournalEntry,
): Promise<void> {
  const current = (await context.store.journal.list()).find(entry => entry.id === id);
  if (!current) return;
  await context.store.journal.advance(id, context.self, current.step, { triedAt: context.now() });
  await context.store.journal.release(id, context.self);
}

async function finishOrUndo(context: Context, entry: JournalEntry): Promise<void> {
  const record = await context.store.workspaces.find(entry.workspaceId);
  switch (entry.kind) {
    case 'up':
    case 'restore':
      await removePendingSnapshots(context, entry.workspaceId);
      return record?.status === 'creating' ? undoUp(context, record, hasFiles(entry.step)) : undefined;
    case 'snapshot':
    case 'checkpoint':
      if (record?.sandbox) await (await context.sandboxes()).resume(record);
      return removeUnfinished(context, {
        snapshotId: String(entry.data.snapshotId),
        isPart: entry.data.isPart === true,
      });
    case 'put-back':
      return finishPutBack(context, entry, record);
    case 'down':
      // The claim is in the record: a process may have died before claiming, and another may be removing the workspace now.
      if (record && isClaimedBy(record, entry)) await finishOrUndoRemoval(context, entry, record);
      return removePendingSnapshot(context, String(entry.data.snapshotId));
    case 'reset':
      if (record?.operationId === entry.id) await recoverReset(context, entry, record);
      return removePendingSnapshot(context, String(entry.data.snapshotId));
    case 'land': {
      if (entry.data.parts) return recoverParts(context, entry);
      const plan = entry.data.plan as LandPlan | undefined;
      // Before it there is nothing to do; after it the checkouts are updated and belong to the user again.
      if (!record || !plan || !['merged', 'moved'].includes(entry.step)) return;
      return inRepositoryLock(context, record, async () =>
        context.backends.of(record.backend).landing?.finish(record, plan),
      );
    }
  }
}

/** The first databases had no claims: there, a workspace that is being removed belongs to its only entry. */
const isClaimedBy = ({ operationId, status }: WorkspaceRecord, entry: JournalEntry): boolean =>
  operationId === entry.id || (operationId === null && status === 'removing');

/** From here on the user may have found the directory and worked in it. */
const hasFiles = (step: string): boolean => ['populated', 'included', 'prepared', 'done'].includes(step);

/** Forward once the snapshot exists, back before that. */
async function finishOrUndoRemoval(
  context: Context,
  entry: JournalEntry,
  record: Parameters<typeof undoRemoval>[1],
): Promise<void> {
  const { accepted, reason, holds, snapshotId, keepsCheckpoints } = entry.data as unknown as RemovalEnding;
  const advance = async (step: string) => {
    await context.store.journal.advance(entry.id, context.self, step);
    context.onStep('down', step);
  };
  if (['snapshotted', 'unregistered', 'handed-over'].includes(entry.step)) {
    const held = (await context.store.snapshots.find(snapshotId))?.commit ?? null;
    const ending = { accepted, reason, holds, snapshotId, keepsCheckpoints, held };
    const { remains } = await finishRemoval(context, record, ending, { step: advance });
    for (const warning of await removeOrSchedule(context, remains)) context.narrate(`warning: ${warning}`);
  } else {
    await undoRemoval(context, record);
  }
}
