import { isCarrelError } from '../domain/error.js';
import { createId } from '../domain/id.js';
import type { JournalKind, JournalStep } from '../domain/journal.js';
import { explainFullDisk } from '../git/disk-full.js';
import type { Context } from './context.js';

/** Marks the progress of one operation, so that recovery knows what is half done. */
export interface Progress<Kind extends JournalKind> {
  /** Of the journal entry. */
  readonly id: string;
  readonly step: (step: JournalStep<Kind>, data?: Readonly<Record<string, unknown>>) => Promise<void>;
}

export interface JournaledOperation<Kind extends JournalKind> {
  readonly kind: Kind;
  readonly workspaceId: string;
  readonly repositoryId: string;
  readonly data?: Readonly<Record<string, unknown>>;
  /** What it writes to besides Carrel's own directories: where to look when a disk is full. */
  readonly places: readonly (string | null)[];
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
  const id = createId('op', context.ids);
  const startedAt = new Date(context.now()).toISOString();
  const { kind, workspaceId, repositoryId, data = {} } = operation;
  await context.store.journal.begin({
    id,
    kind,
    workspaceId,
    repositoryId,
    data,
    step: 'begun',
    owner: context.self,
    startedAt,
  });
  const progress: Progress<Kind> = {
    id,
    step: async (step, more) => {
      await context.store.journal.advance(id, step, more);
      context.onStep(kind, step);
    },
  };
  const result = await action(progress).catch(async error => {
    const undone = await undo().catch(() => false);
    if (undone) await finish(context, id);
    throw await explainFullDisk(error, listPlaces(context, operation));
  });
  await finish(context, id);
  return result;
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
