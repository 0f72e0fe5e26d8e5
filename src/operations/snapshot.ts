import type { Snapshot } from '../domain/snapshot.js';
import type { Context } from './context.js';
import { findRepository, findWorkspace, type WorkspaceQuery } from './find.js';
import { journaled } from './journaled.js';
import { requireReady } from './require-ready.js';
import { settleSnapshots, takeSnapshot } from './take-snapshot.js';

export interface SnapshotInput extends WorkspaceQuery {
  readonly message?: string | undefined;
}

/** Holds everything in a workspace as it is now; the workspace is not changed. */
export async function snapshotWorkspace(context: Context, input: SnapshotInput): Promise<Snapshot> {
  const record = await findWorkspace(context, input);
  await requireReady(context, record);
  return journaled(
    context,
    { kind: 'snapshot', workspaceId: record.id, repositoryId: record.repositoryId },
    async progress => {
      await progress.step('recorded');
      const snapshot = await takeSnapshot(context, record, {
        reason: 'asked',
        message: input.message ?? null,
        onCaptured: () => progress.step('captured'),
      });
      await progress.step('done');
      return snapshot;
    },
    async () => {
      await settleSnapshots(context, record.id);
      return true;
    },
  );
}

export interface SnapshotListInput {
  readonly repository: string;
  readonly name?: string | undefined;
  readonly all?: boolean | undefined;
}

/** Snapshots that can be restored, newest first. */
export async function listSnapshots(context: Context, input: SnapshotListInput): Promise<Snapshot[]> {
  const repository = input.all ? undefined : await findRepository(context, input.repository);
  const filter = {
    ...(repository ? { repositoryId: repository.id } : {}),
    ...(input.name === undefined ? {} : { workspaceName: input.name }),
  };
  return (await context.store.snapshots.list(filter)).filter(snapshot => snapshot.commit !== null);
}
