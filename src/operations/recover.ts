import { isCarrelError } from '../domain/error.js';
import type { JournalEntry } from '../domain/journal.js';
import type { LandPlan } from '../workspace/backend.js';
import { isAbandoned } from './abandonment.js';
import type { Context } from './context.js';
import { finishRemoval, type RemovalEnding, undoRemoval } from './down.js';
import { endOrphans } from './end-orphans.js';
import { settleOrLeave, sweepRemains } from './leave-remains.js';
import { inRepositoryLock } from './repository-lock.js';
import { sweepPools } from './settle-pools.js';
import { sweepSandboxes } from './sweep-sandboxes.js';
import { sweepScratch } from './sweep-scratch.js';
import { dropPendingSnapshot, dropPendingSnapshots } from './take-snapshot.js';
import { undoUp } from './undo-up.js';

/**
 * Settles what dead processes left half done: called before every command, five short reads when there is nothing to
 * do. An entry is adopted by compare-and-swap, so that two commands at once do not both settle it.
 */
export async function recover(context: Context): Promise<void> {
  await sweepScratch(context.places.temporaryRoot);
  await sweepScratch(context.places.stateDir);
  const entries = await context.store.journal.list();
  const isLeft = ({ owner, startedAt }: JournalEntry) => isAbandoned(owner, startedAt, context.now());
  for (const entry of entries.filter(isLeft)) {
    if (await context.store.journal.adopt(entry.id, entry.owner, context.self))
      await recoverEntry(context, entry);
  }
  await sweepSandboxes(context);
  await sweepRemains(context);
  await sweepPools(context);
}

/** What can't be settled now, for whatever reason, must not stop every other command. */
async function recoverEntry(context: Context, entry: JournalEntry): Promise<void> {
  const { id, kind, step, repositoryId, workspaceId } = entry;
  try {
    await endOrphans(context, entry);
    await settle(context, entry);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const hint = isCarrelError(error) ? ` (${error.hint})` : '';
    context.narrate(`warning: an interrupted ${kind} could not be settled yet: ${message}${hint}`);
    return;
  }
  const event = { type: 'recovery.done', repositoryId, workspaceId, data: { id, kind, step } } as const;
  await context.store.events.append([event]);
  await context.store.journal.finish(id);
  context.narrate(`settled an interrupted ${kind} (it had come to "${step}")`);
}

async function settle(context: Context, entry: JournalEntry): Promise<void> {
  const record = await context.store.workspaces.find(entry.workspaceId);
  switch (entry.kind) {
    case 'up':
    case 'restore':
      await dropPendingSnapshots(context, entry.workspaceId);
      return record?.status === 'creating' ? undoUp(context, record, hasFiles(entry.step)) : undefined;
    case 'snapshot':
      if (record?.sandbox) await (await context.sandboxes()).resume(record);
      return dropPendingSnapshot(context, String(entry.data.snapshotId));
    case 'down':
      // The claim is in the record: a process may have died before it, and somebody else be removing the workspace now.
      if (record?.operationId === entry.id) await settleRemoval(context, entry, record);
      return dropPendingSnapshot(context, String(entry.data.snapshotId));
    case 'land': {
      const plan = entry.data.plan as LandPlan | undefined;
      // Before there is nothing to settle; after it the checkouts have followed and are the user's again.
      if (!record || !plan || !['merged', 'moved'].includes(entry.step)) return;
      return inRepositoryLock(context, record, async () =>
        context.backends[record.backend].landing?.finish(record, plan),
      );
    }
  }
}

/** From here on somebody may have found the directory and worked in it. */
const hasFiles = (step: string): boolean => ['populated', 'included', 'prepared', 'done'].includes(step);

/** Forward once the snapshot stands, back before that. */
async function settleRemoval(
  context: Context,
  entry: JournalEntry,
  record: Parameters<typeof undoRemoval>[1],
): Promise<void> {
  const { accepted, reason, holds, snapshotId } = entry.data as unknown as RemovalEnding;
  const advance = async (step: string) => {
    await context.store.journal.advance(entry.id, step);
    context.onStep('down', step);
  };
  if (['snapshotted', 'unregistered', 'handed-over'].includes(entry.step)) {
    const held = (await context.store.snapshots.find(snapshotId))?.commit ?? null;
    const ending = { accepted, reason, holds, snapshotId, held };
    const { remains } = await finishRemoval(context, record, ending, { step: advance });
    for (const warning of await settleOrLeave(context, remains)) context.narrate(`warning: ${warning}`);
  } else {
    await undoRemoval(context, record);
  }
}
