import { isCarrelError } from '../../domain/error/error.js';
import type { LandResult, RemovalResult } from '../../domain/report/result.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import type { Landing, LandStrategy } from '../../workspace/backend.js';
import type { Context } from '../context.js';
import { listParts } from '../group/group-records.js';
import { journaled, type Progress } from '../guard/journaled.js';
import { requireReady } from '../guard/require-ready.js';
import type { TaskRiskOptions } from '../guard/task-of-workspace.js';
import { whileReady } from '../guard/while-ready.js';
import { landParts } from '../landing/land-parts.js';
import { requireLanding } from '../landing/move-back.js';
import { type PreparedLanding, prepareLanding } from '../landing/prepare-landing.js';
import { removeRecord } from '../removal/down.js';
import { inRepositoryLock } from '../repository/hold-repository-lock.js';
import { commitInSandbox } from '../sandbox/commit-in-sandbox.js';
import { requireImportedCommits } from '../sandbox/import-commits.js';
import { findWorkspace, type WorkspaceQuery } from './find-workspace.js';

export interface LandInput extends WorkspaceQuery, TaskRiskOptions {
  readonly into?: string | undefined;
  /** With several repositories, where `into` is left out: the branch in each of them, by alias. */
  readonly intoParts?: Readonly<Record<string, string>> | undefined;
  readonly strategy?: LandStrategy | undefined;
  /** For the commit that landing makes; uncommitted changes are committed with it first. */
  readonly message?: string | undefined;
  /** Leave the workspace in place. */
  readonly keep?: boolean | undefined;
  /** Land files that tools run automatically although `land.autorunFiles` refuses them. */
  readonly allowAutorunFiles?: boolean | undefined;
  /** Called when the branch has moved: whether it only moved forward to the workspace's own commits. */
  readonly onLanded?: ((how: { readonly isFastForward: boolean }) => void) | undefined;
  /** Respected until the branch moves. */
  readonly signal?: AbortSignal | undefined;
}

/** Lands a workspace's commits on a branch of the repository, then removes it when nothing is left in it. */
export async function landWorkspace(context: Context, input: LandInput): Promise<LandResult> {
  const record = await findWorkspace(context, input);
  const strategy = input.strategy ?? 'merge';
  const parts = await listParts(context, record);
  if (parts.length > 1) return landGroup(context, parts, { ...input, strategy });
  const landing = requireLanding(context, record);
  const { plan, autorunFiles } = await whileReady(context, record, async () => {
    await requireReady(context, record);
    if (record.sandbox && input.message !== undefined)
      await commitInSandbox(context, record, input.message, input.signal);
    await requireImportedCommits(context, record, input.signal);
    return landJournaled(context, record, landing, { ...input, strategy });
  });
  input.onLanded?.({ isFastForward: plan.isFastForward ?? false });
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
    autorunFiles: [...autorunFiles],
    ...removal,
  };
}

/** Lands all parts of a workspace with several repositories, or none. */
async function landGroup(
  context: Context,
  parts: readonly WorkspaceRecord[],
  input: LandInput & { strategy: LandStrategy },
): Promise<LandResult> {
  const { landed, isFastForward } = await landParts(context, parts, input);
  input.onLanded?.({ isFastForward });
  const [first] = parts as [WorkspaceRecord];
  const removal = input.keep ? { removed: null, warnings: [] } : await removeLanded(context, first, input);
  return { ...landed, ...removal };
}

function landJournaled(
  context: Context,
  record: WorkspaceRecord,
  landing: Landing,
  request: LandInput & { strategy: LandStrategy },
): Promise<PreparedLanding> {
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
    // `move` puts the ref back itself when a checkout can't be updated; before that only objects were created.
    async () => true,
  );
}

async function land(
  context: Pick<Context, 'store' | 'git' | 'loadConfig' | 'narrate'>,
  record: WorkspaceRecord,
  landing: Landing,
  request: LandInput & { strategy: LandStrategy },
  progress: Progress<'land'>,
): Promise<PreparedLanding> {
  await progress.step('recorded');
  const { plan, autorunFiles } = await prepareLanding(context, record, landing, request);
  request.signal?.throwIfAborted();
  await progress.step('merged', { plan });
  await landing.move(record, plan, progress.step);
  const { repositoryId, id: workspaceId } = record;
  const { into, before, after } = plan;
  await context.store.events.append([
    { type: 'workspace.landed', repositoryId, workspaceId, data: { into, before, after } },
  ]);
  await progress.step('done');
  return { plan, autorunFiles };
}

/** A landed workspace is removed like any other: only when nothing is lost, and with a snapshot. */
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
