import { carrelError } from '../../domain/error/error.js';
import type { ResetResult } from '../../domain/report/reset-result.js';
import { type AcceptedRisks, unacceptedRisks } from '../../domain/workspace/risk.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { closeOpened, openDirectory } from '../../git/files/open-unreadable.js';
import { awaitSnapshot, unlessSnapshotted } from '../capture/snapshot-claim.js';
import type { Context } from '../context.js';
import { stopSetupProcesses } from '../creation/stop-leftover-processes.js';
import { journaled, type Progress } from '../guard/journaled.js';
import { whileReady } from '../guard/while-ready.js';
import { removeOrSchedule } from '../remains/schedule-remains.js';
import { assessProcesses, assessRemoval, type RemovalAssessment } from '../removal/assess-removal.js';
import { describeLeftOut } from '../removal/down.js';
import { requireUnmounted } from '../removal/remove-without-snapshot.js';
import { type Held, NOTHING_OPENED, snapshotAsideFiles } from '../removal/snapshot-aside-files.js';
import { stopProcesses } from '../removal/stop-workspace-processes.js';
import { importCommits } from '../sandbox/import-commits.js';
import { findWorkspace, type WorkspaceQuery } from '../workspace/find-workspace.js';
import { finishReset, makeReady, type ResetEnding, resetEvent, undoReset } from './finish-reset.js';
import { findBranchRisk, planReset, type ResetPlan, withoutSetup } from './plan-reset.js';

export interface ResetInput extends WorkspaceQuery {
  readonly accepted: Pick<AcceptedRisks, 'discardChanges' | 'discardCommits' | 'stopProcesses'>;
  /** Whether to run the setup commands again. */
  readonly setup?: boolean | undefined;
  readonly trust?: boolean | undefined;
  /** Respected until the snapshot exists, and by the setup commands. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Returns a workspace to its base when that loses nothing, or when the caller accepts the losses. As in a removal its files are first
 * moved aside and captured in a snapshot. Then everything of it is made again, for the same record: id, name, path and ports stay.
 */
export async function resetWorkspace(context: Context, input: ResetInput): Promise<ResetResult> {
  const record = await findWorkspace(context, input);
  const plan = await planReset(context, record, input);
  const opened = input.accepted.discardChanges ? openDirectory(record.path) : NOTHING_OPENED;
  try {
    return await resetOpened(context, record, input, plan);
  } catch (error) {
    closeOpened(record.path, opened);
    throw error;
  }
}

/** How far this process got; what it has not claimed belongs to another process and is not undone. */
interface Reached {
  claimed: boolean;
  snapshotted: boolean;
  /** The files, the branch and the sandbox are there again. */
  made: boolean;
}

async function resetOpened(
  context: Context,
  record: WorkspaceRecord,
  input: ResetInput,
  plan: ResetPlan,
): Promise<ResetResult> {
  const { accepted, signal } = input;
  await awaitSnapshot(context, record, signal);
  const { processes } = await requireAccepted(context, record, input);
  signal?.throwIfAborted();
  await stopProcesses(record, processes);
  if (record.sandbox) await (await context.sandboxes()).stop(record);
  const reached: Reached = { claimed: false, snapshotted: false, made: false };
  const { snapshotId, startsAt } = plan;
  const settings = withoutSetup(plan.settings);
  const operation = {
    kind: 'reset',
    workspaceId: record.id,
    repositoryId: record.repositoryId,
    data: { accepted, snapshotId, startsAt, settings },
    places: [record.commonDir],
  } as const;
  const { held, ready, remains } = await journaled(
    context,
    operation,
    progress => resetFiles(context, record, input, plan, markMade(progress, reached), reached),
    async () => {
      if (!reached.claimed) return true;
      if (!reached.snapshotted) await undoReset(context, record);
      if (!reached.made) return !reached.snapshotted;
      // Only the setup failed: the workspace is at its base, and its work is in the snapshot.
      await stopSetupProcesses(context, record);
      await makeReady(context, record, {});
      context.narrate(`${record.name} is at its base; its setup failed`);
      return true;
    },
  );
  const warnings = [...describeLeftOut(held.snapshot?.omitted ?? [], held.leftOut), ...ready.warnings];
  const { id, name, path, branch, base } = ready;
  return {
    ...{ id, name, path, branch, commit: base.commit, snapshot: snapshotId },
    omitted: [...(held.snapshot?.omitted ?? [])],
    stopped: processes.map(({ pid }) => pid),
    warnings: [...warnings, ...(await removeOrSchedule(context, remains))],
  };
}

/** RESET_REFUSED */
async function requireAccepted(
  context: Context,
  record: WorkspaceRecord,
  { accepted, signal }: ResetInput,
): Promise<RemovalAssessment> {
  const assessment = await whileReady(context, record, async () => {
    const imported = await importCommits(context, record, signal);
    return assessRemoval(context, record, { imported });
  });
  const risks = [...(await findBranchRisk(context, record)), ...assessment.risks];
  const refused = unacceptedRisks(risks, accepted);
  if (refused.length > 0) throw carrelError('RESET_REFUSED', { name: record.name, risks: refused });
  return assessment;
}

function markMade(progress: Progress<'reset'>, reached: Reached): Progress<'reset'> {
  return {
    ...progress,
    step: async (step, data) => {
      await progress.step(step, data);
      reached.made ||= step === 'included';
    },
  };
}

async function resetFiles(
  context: Context,
  record: WorkspaceRecord,
  { accepted, signal }: ResetInput,
  { snapshotId, settings, startsAt }: ResetPlan,
  progress: Progress<'reset'>,
  reached: Reached,
) {
  await claim(context, record, progress.id, reached, signal);
  await progress.step('recorded');
  const backend = context.backends.of(record.backend);
  await backend.removal.setAside(record);
  await progress.step('set-aside');
  await requireNoProcesses(context, record, accepted);
  if (!backend.mountsFiles) requireUnmounted(record, backend.removal.asideOf(record));
  signal?.throwIfAborted();
  const held: Held = await snapshotAsideFiles(context, record, {
    ...{ snapshotId, accepted, reason: 'reset', hasRemains: true, signal },
    onCaptured: () => progress.step('captured'),
  });
  await progress.step('snapshotted');
  reached.snapshotted = true;
  const ending: ResetEnding = {
    ...{ accepted, snapshotId, startsAt, settings: withoutSetup(settings) },
    held: held.snapshot?.commit ?? null,
  };
  const made = await finishReset(context, record, ending, { settings, setupSignal: signal }, progress);
  return { held, ...made };
}

/** Until it is done no other command may use or remove the workspace; not while a snapshot or a checkpoint is taken. */
async function claim(
  context: Pick<Context, 'store' | 'now' | 'narrate'>,
  record: WorkspaceRecord,
  operationId: string,
  reached: Reached,
  signal?: AbortSignal,
): Promise<void> {
  const patch = { status: 'creating', operationId } as const;
  const claimed = await unlessSnapshotted(
    context,
    record,
    ({ workspaces }) =>
      workspaces.update(record.id, 'ready', patch, [resetEvent('workspace.resetting', record)]),
    { signal, kinds: ['snapshot', 'checkpoint'] },
  );
  const { name } = record;
  if (!claimed) {
    const present = await context.store.workspaces.find(record.id);
    throw present
      ? carrelError('WORKSPACE_BUSY', { name, status: present.status })
      : carrelError('WORKSPACE_NOT_FOUND', { name, known: [] });
  }
  reached.claimed = true;
  if (claimed.lease)
    throw carrelError('WORKSPACE_BUSY', { name, status: `leased by ${claimed.lease.holder}` });
}

/** A process that started between the check and the move still writes to the files that are now set aside. */
async function requireNoProcesses(
  context: Pick<Context, 'store' | 'backends' | 'self' | 'places' | 'cwd'>,
  record: WorkspaceRecord,
  { stopProcesses: mayStop }: AcceptedRisks,
): Promise<void> {
  const aside = context.backends.of(record.backend).removal.asideOf(record);
  const { risks, processes } = await assessProcesses(context, record, aside);
  if (risks.length === 0) return;
  if (!mayStop) throw carrelError('RESET_REFUSED', { name: record.name, risks });
  await stopProcesses(record, processes);
}
