import { isCarrelError } from '../domain/error.js';
import type { JournalEntry } from '../domain/journal.js';
import type { AcceptedRisks } from '../domain/risk.js';
import { isAlive } from '../exec/process-identity.js';
import type { LandPlan } from '../workspace/backend.js';
import type { Context } from './context.js';
import { finishRemoval, undoRemoval } from './down.js';
import { sweepScratch } from './sweep-scratch.js';
import { settleSnapshots } from './take-snapshot.js';
import { undoUp } from './undo-up.js';

/**
 * Settles what dead processes left half done: called before every command, one read when there is nothing to do. An
 * entry is adopted by compare-and-swap, so that two commands at once do not both settle it.
 */
export async function recover(context: Context): Promise<void> {
  const entries = await context.store.journal.list();
  for (const entry of entries.filter(candidate => isAlive(candidate.owner) === 'dead')) {
    if (await context.store.journal.adopt(entry.id, entry.owner, context.self))
      await recoverEntry(context, entry);
  }
}

/** What can't be settled now, because the disk is full or git is gone, must not stop every other command. */
async function recoverEntry(context: Context, entry: JournalEntry): Promise<void> {
  const { id, kind, step, repositoryId, workspaceId, owner } = entry;
  try {
    await settle(context, entry);
    await sweepScratch(context.places.temporaryRoot, owner.pid);
  } catch (error) {
    if (!isCarrelError(error)) throw error;
    context.narrate(`warning: an interrupted ${kind} could not be settled yet: ${error.message}`);
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
      return record?.status === 'creating' ? undoUp(context, record) : undefined;
    case 'snapshot':
      return settleSnapshots(context, entry.workspaceId);
    case 'down':
      await settleSnapshots(context, entry.workspaceId);
      return record?.status === 'removing' ? settleRemoval(context, entry, record) : undefined;
    case 'land': {
      const plan = entry.data.plan as LandPlan | undefined;
      return record && plan ? context.backends[record.backend].landing?.finish(record, plan) : undefined;
    }
  }
}

/** Forward once the snapshot stands, back before that. */
async function settleRemoval(
  context: Context,
  entry: JournalEntry,
  record: Parameters<typeof undoRemoval>[1],
): Promise<void> {
  const accepted = entry.data.accepted as AcceptedRisks;
  const advance = async (step: string) => context.store.journal.advance(entry.id, step);
  if (['snapshotted', 'unregistered', 'destroyed'].includes(entry.step)) {
    await finishRemoval(context, record, accepted, { step: advance });
  } else {
    await undoRemoval(context, record);
  }
}
