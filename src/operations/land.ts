import { carrelError, isCarrelError } from '../domain/error.js';
import type { LandResult, RemovalResult } from '../domain/result.js';
import type { WorkspaceRecord } from '../domain/workspace.js';
import type { Landing, LandPlan, LandStrategy } from '../workspace/backend.js';
import { commitInside } from './commit-inside.js';
import type { Context } from './context.js';
import { removeRecord } from './down.js';
import { findWorkspace, type WorkspaceQuery } from './find.js';
import { journaled, type Progress } from './journaled.js';
import { inRepositoryLock } from './repository-lock.js';
import { requireReady } from './require-ready.js';
import { requireCommitsBack } from './take-commits-back.js';
import type { TaskRiskOptions } from './task-of-workspace.js';
import { whileReady } from './while-ready.js';

export interface LandInput extends WorkspaceQuery, TaskRiskOptions {
  readonly into?: string | undefined;
  readonly strategy?: LandStrategy | undefined;
  /** For the commit that landing makes; uncommitted changes are committed with it first. */
  readonly message?: string | undefined;
  /** Leave the workspace in place. */
  readonly keep?: boolean | undefined;
  /** Heeded until the branch moves. */
  readonly signal?: AbortSignal | undefined;
}

/** Brings a workspace's commits to a branch of the repository, then removes it when nothing is left in it. */
export async function landWorkspace(context: Context, input: LandInput): Promise<LandResult> {
  const record = await findWorkspace(context, input);
  const { landing } = context.backends[record.backend];
  if (!landing) throw carrelError('NOT_SUPPORTED', { what: 'be landed', backend: record.backend });
  const strategy = input.strategy ?? 'merge';
  const plan = await whileReady(context, record, async () => {
    await requireReady(context, record);
    if (record.sandbox && input.message !== undefined)
      await commitInside(context, record, input.message, input.signal);
    await requireCommitsBack(context, record, input.signal);
    return landJournaled(context, record, landing, { ...input, strategy });
  });
  const removal = input.keep ? { removed: null, warnings: [] } : await removeLanded(context, record, input);
  const { into, before, after, commits, checkouts } = plan;
  return {
    id: record.id,
    name: record.name,
    into,
    strategy,
    before,
    after,
    commits,
    updatedCheckouts: [...checkouts],
    ...removal,
  };
}

function landJournaled(
  context: Context,
  record: WorkspaceRecord,
  landing: Landing,
  request: LandInput & { strategy: LandStrategy },
): Promise<LandPlan> {
  const operation = {
    kind: 'land',
    workspaceId: record.id,
    repositoryId: record.repositoryId,
    places: [record.commonDir],
  } as const;
  return journaled(
    context,
    operation,
    progress => inRepositoryLock(context, record, () => land(context, record, landing, request, progress)),
    // `move` puts the ref back itself when a checkout can't follow; before that nothing but objects was made.
    async () => true,
  );
}

async function land(
  context: Context,
  record: WorkspaceRecord,
  landing: Landing,
  request: LandInput & { strategy: LandStrategy },
  progress: Progress<'land'>,
): Promise<LandPlan> {
  await progress.step('recorded');
  const plan = await prepare(context, record, landing, request);
  request.signal?.throwIfAborted();
  await progress.step('merged', { plan });
  await landing.move(record, plan, progress.step);
  const { repositoryId, id: workspaceId } = record;
  const { into, before, after } = plan;
  await context.store.events.append([
    { type: 'workspace.landed', repositoryId, workspaceId, data: { into, before, after } },
  ]);
  await progress.step('done');
  return plan;
}

/** With a message at hand, what is uncommitted is committed and landed too. */
async function prepare(
  context: Context,
  record: WorkspaceRecord,
  landing: Landing,
  request: LandInput & { strategy: LandStrategy },
): Promise<LandPlan> {
  const { into, strategy, message } = request;
  try {
    return await landing.prepare(record, { into, strategy, message });
  } catch (error) {
    if (message === undefined || !isCarrelError(error, 'LAND_UNCOMMITTED')) throw error;
    // Committed inside already, as far as the git there sees it.
    if (record.sandbox) throw hiddenInside(record, error.details.files as readonly string[]);
    const commit = await landing.commitAll(record, message);
    context.narrate(`committed the changes in ${record.name} as ${commit.slice(0, 10)}`);
    return landing.prepare(record, { into, strategy, message });
  }
}

const hiddenInside = ({ name }: WorkspaceRecord, files: readonly string[]): Error =>
  carrelError('LAND_UNCOMMITTED', { name, files, isHiddenInside: true });

/** A landed workspace goes like any other: only when nothing can be lost, and with a snapshot. */
async function removeLanded(
  context: Context,
  record: WorkspaceRecord,
  { forOwnTask }: TaskRiskOptions,
): Promise<{ removed: RemovalResult | null; warnings: string[] }> {
  try {
    const order = { accepted: {}, reason: 'land', forOwnTask } as const;
    return { removed: await removeRecord(context, record, order), warnings: [] };
  } catch (error) {
    if (!isCarrelError(error)) throw error;
    return { removed: null, warnings: [`landed, but ${error.message}`] };
  }
}
