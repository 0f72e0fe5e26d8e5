import { createId } from '../domain/id.js';
import type { Snapshot } from '../domain/snapshot.js';
import type { WorkspaceRecord } from '../domain/workspace.js';
import type { Context } from './context.js';
import { findRepository, findWorkspace, isOf, type WorkspaceQuery } from './find.js';
import { journaled } from './journaled.js';
import { awaitPossibleSnapshots } from './leave-remains.js';
import { requireReady } from './require-ready.js';
import { takeCommitsBack, whileStill } from './take-commits-back.js';
import { dropPendingSnapshot, takeSnapshot } from './take-snapshot.js';
import { whileReady } from './while-ready.js';

export interface SnapshotInput extends WorkspaceQuery {
  readonly message?: string | undefined;
}

/** Holds everything in a workspace as it is now; the workspace is not changed. */
export async function snapshotWorkspace(context: Context, input: SnapshotInput): Promise<Snapshot> {
  const record = await findWorkspace(context, input);
  return whileReady(context, record, async () => {
    await requireReady(context, record);
    await takeCommitsBack(context, record);
    return snapshotJournaled(context, record, input.message ?? null);
  });
}

function snapshotJournaled(
  context: Context,
  record: WorkspaceRecord,
  message: string | null,
): Promise<Snapshot> {
  const snapshotId = createId('snap', context.ids);
  const { id: workspaceId, repositoryId } = record;
  return journaled(
    context,
    { kind: 'snapshot', workspaceId, repositoryId, data: { snapshotId }, places: [record.commonDir] },
    async progress => {
      await progress.step('recorded');
      const snapshot = await whileStill(context, record, () =>
        takeSnapshot(context, record, {
          id: snapshotId,
          reason: 'asked',
          message,
          onCaptured: () => progress.step('captured'),
        }),
      );
      await progress.step('done');
      return snapshot;
    },
    async () => {
      await dropPendingSnapshot(context, snapshotId);
      return true;
    },
  );
}

export interface SnapshotListInput {
  readonly repository: string;
  readonly name?: string | undefined;
  readonly all?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Snapshots that can be restored, newest first. */
export async function listSnapshots(context: Context, input: SnapshotListInput): Promise<Snapshot[]> {
  const repository = input.all ? undefined : await findRepository(context, input.repository);
  await awaitPossibleSnapshots(
    context,
    remains => remains.holds === 'work' && (!repository || isOf(repository, remains)),
    input.signal,
  );
  const named = input.name === undefined ? {} : { workspaceName: input.name };
  return (await context.store.snapshots.list(named)).filter(
    snapshot => snapshot.commit !== null && (!repository || isOf(repository, snapshot)),
  );
}
