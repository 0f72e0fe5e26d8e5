import { isCarrelError } from '../domain/error.js';
import { createId } from '../domain/id.js';
import type { JournalEntry, JournalKind, JournalStep } from '../domain/journal.js';
import { explainFullDisk } from '../git/disk-full.js';
import type { Tables } from '../store/store.js';
import type { Context } from './context.js';

/** Marks the progress of one operation, so that recovery knows what is half done. */
export interface Progress<Kind extends JournalKind> {
  /** Of the journal entry. */
  readonly id: string;
  readonly step: (step: JournalStep<Kind>, data?: Readonly<Record<string, unknown>>) => Promise<void>;
  /** Comes by a step that means the same to recovery as the one before, so that nothing need be written. */
  readonly pass: (step: JournalStep<Kind>) => void;
  /** The last change of the operation, and in the same transaction the end of its entry. */
  readonly finish: <T>(change: (tables: Tables) => Promise<T>) => Promise<T>;
}

export interface JournaledOperation<Kind extends JournalKind> {
  readonly kind: Kind;
  readonly workspaceId: string;
  readonly repositoryId: string;
  readonly data?: Readonly<Record<string, unknown>>;
  /** What it writes to besides Carrel's own directories: where to look when a disk is full. */
  readonly places: readonly (string | null)[];
  /** Writes the entry, with whatever else is to be written in the same transaction. By default the entry alone. */
  readonly begin?: (entry: JournalEntry) => Promise<void>;
}

/**
 * Runs an operation between an entry in the journal and its removal. When the action fails, `undo` puts the world
 * back and says whether it did; when it could not, or the process dies, the entry stays and `recover` deals with it
 * at the next command.
 */
export async function journaled<Kind extends JournalKind, T>(
  context: Context,
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
  const progress: Progress<Kind> = {
    id: entry.id,
    step: async (step, more) => {
      await context.store.journal.advance(entry.id, step, more);
      context.onStep(kind, step);
    },
    pass: step => context.onStep(kind, step),
    finish: async change => {
      const result = await context.store.atomically(async tables => {
        const changed = await change(tables);
        await tables.journal.finish(entry.id);
        return changed;
      });
      isFinished = true;
      return result;
    },
  };
  const result = await action(progress).catch(async error => {
    const undone = isFinished || (await undo().catch(() => false));
    if (undone && !isFinished) await finish(context, entry.id);
    return explain(error);
  });
  if (!isFinished) await finish(context, entry.id);
  return result;
}

function createEntry(
  context: Context,
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

/** An entry that can't be taken away, because the disk is full now, is one that recovery finds nothing to do for. */
async function finish(context: Context, id: string): Promise<void> {
  await context.store.journal.finish(id).catch(error => {
    if (!isCarrelError(error)) throw error;
  });
}

function listPlaces(
  { places }: Context,
  operation: Pick<JournaledOperation<JournalKind>, 'places'>,
): string[] {
  const own = [places.stateDir, places.cacheDir, places.temporaryRoot];
  return [...operation.places.filter(place => place !== null), ...own];
}
