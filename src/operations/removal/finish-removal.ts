import { existsSync } from 'node:fs';
import type { NewEvent } from '../../domain/event.js';
import type { RemovalResult } from '../../domain/report/result.js';
import type { Remains } from '../../domain/snapshot/remains.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import type { CleanWorkspace } from '../../workspace/backend.js';
import { releaseCheckpoints } from '../capture/remove-checkpoints.js';
import type { Context } from '../context.js';
import { isAbandoned } from '../guard/abandonment.js';
import type { Progress } from '../guard/journaled.js';
import { inRepositoryLock } from '../repository/hold-repository-lock.js';
import { removeKeptRecord } from '../repository/kept-record.js';
import { removeEmptyRoot } from '../space/workspace-root.js';
import type { RemovalOrder } from './move-aside.js';

/** Files that were moved aside, which the caller has to handle (see operations/remains/schedule-remains.ts). */
export interface WithRemains {
  readonly remains: readonly Remains[];
}

export type Removed = Pick<
  RemovalResult,
  'snapshot' | 'omitted' | 'deletedBranch' | 'keptBranch' | 'warnings'
> &
  WithRemains;

/** Input of the irreversible part of a removal. */
export interface RemovalEnding extends Omit<RemovalOrder, 'signal' | 'passTogether'> {
  readonly snapshotId: string;
  readonly holds: 'nothing' | 'rubbish';
  /** The snapshot's commit. */
  readonly held: string | null;
  readonly clean?: CleanWorkspace | undefined;
  /** The snapshot does not hold what they hold. */
  readonly keepsCheckpoints?: boolean | undefined;
}

/** The irreversible part; recovery enters here too. */
export async function finishRemoval(
  context: Context,
  record: WorkspaceRecord,
  ending: RemovalEnding,
  progress: Pick<Progress<'down'>, 'step'>,
): Promise<Omit<Removed, 'snapshot' | 'omitted'>> {
  const { removal } = context.backends.of(record.backend);
  const { accepted, held, clean } = ending;
  const branch = await inRepositoryLock(context, record, () =>
    removal.unregister(record, accepted, held, clean),
  );
  await progress.step('unregistered');
  if (held !== null && !ending.keepsCheckpoints) await releaseCheckpoints(context, record.id, 0);
  await removeKeptRecord(context, record);
  if (record.sandbox) await (await context.sandboxes()).remove(record);
  const remains = await handOver(context, record, ending);
  await progress.step('handed-over');
  await context.store.workspaces.remove(record.id, [removalEvent('workspace.removed', record)]);
  await progress.step('done');
  return { ...branch, warnings: [], remains };
}

/** The files become remains of this process, and the workspace's name and path are free. */
async function handOver(
  context: Pick<Context, 'store' | 'backends' | 'now' | 'self' | 'places'>,
  record: WorkspaceRecord,
  { snapshotId, reason, holds }: RemovalEnding,
): Promise<Remains[]> {
  const { removal } = context.backends.of(record.backend);
  // A crash may have happened between this and the end, and other processes search for leftovers as well.
  const present = await context.store.remains.find(snapshotId);
  if (present) return adoptAbandoned(context, present);
  const directory = removal.remainsOf?.(record);
  if (directory === undefined || !existsSync(directory)) {
    await removal.destroy(record);
    await removeEmptyRoot(context);
    return [];
  }
  const { repositoryId, repository, commonDir, branch, base } = record;
  const remains: Remains = {
    id: snapshotId,
    directory,
    holds,
    isPartial: false,
    lower: null,
    ...{ repositoryId, repository, commonDir, branch, base, reason },
    workspaceId: record.id,
    workspaceName: record.name,
    createdAt: new Date(context.now()).toISOString(),
    owner: context.self,
  };
  await context.store.remains.insert(remains);
  return [remains];
}

/** Undefined when another process handles them. */
export async function adoptAbandoned(
  context: Pick<Context, 'store' | 'now' | 'self'>,
  present: Remains,
): Promise<Remains[]> {
  if (!isAbandoned(present.owner, present.createdAt, context.now())) return [];
  const own = await context.store.remains.adopt(present, context.self);
  return own ? [own] : [];
}

export const removalEvent = (type: NewEvent['type'], record: WorkspaceRecord): NewEvent => ({
  type,
  repositoryId: record.repositoryId,
  workspaceId: record.id,
  data: { name: record.name, path: record.path },
});
