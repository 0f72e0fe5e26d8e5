import { createId } from '../domain/id.js';
import type { JournalKind, JournalStep } from '../domain/journal.js';
import type { Context } from './context.js';

/** Marks the progress of one operation, so that recovery knows what is half done. */
export interface Progress<Kind extends JournalKind> {
  readonly step: (step: JournalStep<Kind>, data?: Readonly<Record<string, unknown>>) => Promise<void>;
}

export interface JournaledOperation<Kind extends JournalKind> {
  readonly kind: Kind;
  readonly workspaceId: string;
  readonly repositoryId: string;
  readonly data?: Readonly<Record<string, unknown>>;
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
    step: async (step, more) => {
      await context.store.journal.advance(id, step, more);
      context.onStep(kind, step);
    },
  };
  const result = await action(progress).catch(async error => {
    const undone = await undo().catch(() => false);
    if (undone) await context.store.journal.finish(id);
    throw error;
  });
  await context.store.journal.finish(id);
  return result;
}
