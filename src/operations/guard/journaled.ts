import { carrelError, isCarrelError } from '../../domain/error/error.js';
import { createId } from '../../domain/id.js';
import type { JournalEntry, JournalKind, JournalStep } from '../../domain/journal.js';
import { explainFullDisk } from '../../git/disk/disk-full.js';
import type { Tables } from '../../store/store.js';
import type { Context } from '../context.js';

/** Marks the progress of one operation, so that recovery knows what is half done. */
export interface Progress<Kind extends JournalKind> {
  /** Of the journal entry. */
  readonly id: string;
  readonly step: (step: JournalStep<Kind>, data?: Readonly<Record<string, unknown>>) => Promise<void>;
  /** Passes a step that recovery treats like the one before, so that nothing needs to be written. */
  readonly pass: (step: JournalStep<Kind>) => void;
  /** The last change of the operation, and in the same transaction the end of its entry. */
  readonly finish: <T>(change: (tables: Tables) => Promise<T>) => Promise<T>;
  /** The end of the entry, for a transaction that ends several operations. */
  readonly ending: TransactionPart;
}

/** A part of a transaction with several operations: all of them happen, or none. */
export interface TransactionPart {
  /** May run again when the database was busy. */
  readonly change: (tables: Tables) => Promise<void>;
  /** Called when the transaction is complete. */
  readonly confirm: () => void;
}

/** All of the parts happen, or none. */
export async function changeTogether(
  { store }: Pick<Context, 'store'>,
  parts: readonly TransactionPart[],
): Promise<void> {
  await store.atomically(async tables => {
    for (const part of parts) await part.change(tables);
  });
  for (const part of parts) part.confirm();
}

export interface JournaledOperation<Kind extends JournalKind> {
  readonly kind: Kind;
  readonly workspaceId: string;
  readonly repositoryId: string;
  readonly data?: Readonly<Record<string, unknown>>;
  /** What it writes to besides Carrel's own directories: checked when a disk is full. */
  readonly places: readonly (string | null)[];
  /** Writes the entry, with anything else in the same transaction. By default only the entry. */
  readonly begin?: (entry: JournalEntry) => Promise<void>;
}

/**
 * Runs an operation between a journal entry and its removal. When the action fails, `undo` reverts it and says whether it did; when it
 * could not, or the process dies, the entry stays, released by this process, and `recover` handles it at the next command.
 */
export async function journaled<Kind extends JournalKind, T>(
  context: Pick<Context, 'store' | 'ids' | 'now' | 'self' | 'places' | 'onStep'>,
  operation: JournaledOperation<Kind>,
  action: (progress: Progress<Kind>) => Promise<T>,
  undo: () => Promise<boolean>,
): Promise<T> {
  const { kind, begin = entry => context.store.journal.begin(entry) } = operation;
  const entry = createEntry(context, operation);
  const explain = async (error: unknown) => {
    throw await explainFullDisk(error, listPlaces(context, operation));
  };
  await begin(entry).catch(explain);
  let isFinished = false;
  const ending: TransactionPart = {
    change: async tables => {
      if (!(await tables.journal.finish(entry.id, context.self)))
        throw carrelError('OPERATION_LOST', { operation: kind });
    },
    confirm: () => {
      isFinished = true;
    },
  };
  const progress: Progress<Kind> = {
    id: entry.id,
    step: async (step, more) => {
      await context.store.journal.advance(entry.id, context.self, step, more);
      context.onStep(kind, step);
    },
    pass: step => context.onStep(kind, step),
    finish: async change => {
      const result = await context.store.atomically(async tables => {
        const changed = await change(tables);
        await ending.change(tables);
        return changed;
      });
      ending.confirm();
      return result;
    },
    ending,
  };
  const result = await action(progress).catch(async error => {
    // If another process has taken it over, that one undoes or finishes it.
    if (isCarrelError(error, 'OPERATION_LOST', 'STATE_LOST')) throw error;
    const undone = isFinished || (await undo().catch(() => false));
    if (undone && !isFinished) await finish(context, entry.id);
    // The operation is over and this process may live long: any process may clean up.
    if (!undone) await context.store.journal.release(entry.id, context.self).catch(() => false);
    return explain(error);
  });
  if (!isFinished) await finish(context, entry.id);
  return result;
}

function createEntry(
  context: Pick<Context, 'ids' | 'now' | 'self'>,
  { kind, workspaceId, repositoryId, data = {} }: JournaledOperation<JournalKind>,
): JournalEntry {
  return {
    id: createId('op', context.ids),
    kind,
    workspaceId,
    repositoryId,
    data,
    step: 'begun',
    owner: context.self,
    startedAt: new Date(context.now()).toISOString(),
  };
}

/** If the entry can't be removed, because the disk is full, recovery finds nothing to do for it. */
async function finish(context: Pick<Context, 'store' | 'self'>, id: string): Promise<void> {
  await context.store.journal.finish(id, context.self).catch(error => {
    if (!isCarrelError(error)) throw error;
  });
}

function listPlaces(
  { places }: Pick<Context, 'places'>,
  operation: Pick<JournaledOperation<JournalKind>, 'places'>,
): string[] {
  const own = [places.stateDir, places.cacheDir, places.temporaryRoot];
  return [...operation.places.filter(place => place !== null), ...own];
}
