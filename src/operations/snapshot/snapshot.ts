import { createId } from '../../domain/id.js';
import type { Snapshot, SnapshotSet } from '../../domain/snapshot/snapshot.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { beginSnapshot } from '../capture/snapshot-claim.js';
import { removeUnfinished, takeSnapshot } from '../capture/take-snapshot.js';
import type { Context } from '../context.js';
import { listParts } from '../group/group-records.js';
import { type PassTogether, runTogether } from '../group/together.js';
import { journaled } from '../guard/journaled.js';
import { requireReady } from '../guard/require-ready.js';
import { whileReady } from '../guard/while-ready.js';
import { reconcile } from '../recovery/reconcile.js';
import { awaitPossibleSnapshots } from '../remains/schedule-remains.js';
import { importCommits, whileSandboxPaused } from '../sandbox/import-commits.js';
import { findRepository, findWorkspace, isOf, type WorkspaceQuery } from '../workspace/find-workspace.js';

export interface SnapshotInput extends WorkspaceQuery {
  readonly message?: string | undefined;
}

/** Captures the current state of a workspace; the workspace is not changed. */
export async function snapshotWorkspace(context: Context, input: SnapshotInput): Promise<Snapshot> {
  const parts = await listParts(context, await findWorkspace(context, input));
  const { message = null } = input;
  const set = { id: createId('snap', context.ids), size: parts.length };
  const [first] = await runTogether(
    context,
    parts.map(part => passTogether => {
      const request = { message, passTogether, ...(part.group && { set }) };
      return whileReady(context, part, () => snapshotJournaled(context, part, request));
    }),
  );
  return first as Snapshot;
}

interface PartRequest {
  readonly message: string | null;
  /** Of a workspace with several repositories. */
  readonly set?: SnapshotSet | undefined;
  /** Ends the snapshots of all parts. */
  readonly passTogether: PassTogether;
}

function snapshotJournaled(
  context: Context,
  record: WorkspaceRecord,
  { message, set, passTogether }: PartRequest,
): Promise<Snapshot> {
  const snapshotId = createId('snap', context.ids);
  const { id: workspaceId, repositoryId } = record;
  return journaled(
    context,
    {
      kind: 'snapshot',
      workspaceId,
      repositoryId,
      data: { snapshotId, isPart: set !== undefined },
      places: [record.commonDir],
      begin: beginSnapshot(context, record),
    },
    async progress => {
      await progress.step('recorded');
      await requireReady(context, record);
      await importCommits(context, record);
      const snapshot = await whileSandboxPaused(context, record, () =>
        takeSnapshot(context, record, {
          id: snapshotId,
          reason: 'asked',
          message,
          set,
          onCaptured: async () => {
            await requireReady(context, record);
            await progress.step('captured');
          },
        }),
      );
      await passTogether(progress.ending);
      progress.pass('done');
      return snapshot;
    },
    async () => {
      await removeUnfinished(context, { snapshotId, isPart: set !== undefined });
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
  if (repository) await reconcile(context, repository);
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
