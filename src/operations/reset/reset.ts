import { carrelError } from '../../domain/error/error.js';
import { createId } from '../../domain/id.js';
import type { ProcessIdentity } from '../../domain/process-identity.js';
import type { ResetResult } from '../../domain/report/reset-result.js';
import type { SnapshotSet } from '../../domain/snapshot/snapshot.js';
import { type AcceptedRisks, type Risk, unacceptedRisks } from '../../domain/workspace/risk.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { closeOpened, openDirectory } from '../../git/files/open-unreadable.js';
import { awaitSnapshot, claimReady } from '../capture/snapshot-claim.js';
import type { Context } from '../context.js';
import { stopSetupProcesses } from '../creation/stop-leftover-processes.js';
import { aliasOf, listParts } from '../group/group-records.js';
import { type PassTogether, runTogether } from '../group/together.js';
import { journaled, type Progress } from '../guard/journaled.js';
import { whileReady } from '../guard/while-ready.js';
import { removeOrSchedule } from '../remains/schedule-remains.js';
import { assessProcesses, assessRemoval, type RemovalAssessment } from '../removal/assess-removal.js';
import { withAlias } from '../removal/down.js';
import { describeLeftOut } from '../removal/move-aside.js';
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
 * moved aside and captured in a snapshot. Then all of it is recreated, for the same record: id, name, path and ports stay.
 */
export async function resetWorkspace(context: Context, input: ResetInput): Promise<ResetResult> {
  const parts = await listParts(context, await findWorkspace(context, input));
  const plans: ResetPlan[] = [];
  for (const part of parts) plans.push(await planReset(context, part, input));
  if (parts.length > 1) await requireAccepted(context, parts, input);
  const set = { id: createId('snap', context.ids), size: parts.length };
  const results = await runTogether(
    context,
    parts.map((part, index) => passTogether => {
      const plan = { ...(plans[index] as ResetPlan), ...(part.group && { set }), passTogether };
      return resetPart(context, part, input, plan);
    }),
  );
  return joinResults(parts, results);
}

/** A plan for one part of the workspace, or for all of it. */
interface PartPlan extends ResetPlan {
  readonly set?: SnapshotSet | undefined;
  /** All parts pass the point of no return together. */
  readonly passTogether: PassTogether;
}

function joinResults(parts: readonly WorkspaceRecord[], results: readonly ResetResult[]): ResetResult {
  const [first] = results as [ResetResult];
  if (results.length === 1) return first;
  const aliases = parts.map(aliasOf);
  return {
    ...first,
    omitted: results.flatMap(({ omitted }, index) =>
      omitted.map(file => ({ ...file, path: `${aliases[index]}/${file.path}` })),
    ),
    stopped: results.flatMap(({ stopped }) => stopped),
    warnings: results.flatMap(({ warnings }, index) => warnings.map(text => `${aliases[index]}: ${text}`)),
    repositories: results.map(({ id, path, commit, snapshot }, index) => ({
      alias: aliases[index] as string,
      ...{ id, path, commit, snapshot },
    })),
  };
}

async function resetPart(
  context: Context,
  record: WorkspaceRecord,
  input: ResetInput,
  plan: PartPlan,
): Promise<ResetResult> {
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
  plan: PartPlan,
): Promise<ResetResult> {
  const { accepted, signal } = input;
  const { processes } = await requireAccepted(context, [record], input);
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
  parts: readonly WorkspaceRecord[],
  { accepted, signal }: ResetInput,
): Promise<Pick<RemovalAssessment, 'processes'>> {
  const risks: Risk[] = [];
  const processes: ProcessIdentity[] = [];
  for (const part of parts) {
    await awaitSnapshot(context, part, signal);
    const assessment = await whileReady(context, part, async () => {
      const imported = await importCommits(context, part, signal);
      return assessRemoval(context, part, { imported });
    });
    const found = [...(await findBranchRisk(context, part)), ...assessment.risks];
    risks.push(...found.map(risk => withAlias(part, risk)));
    processes.push(...assessment.processes);
  }
  const refused = unacceptedRisks(risks, accepted);
  const [{ name }] = parts as [WorkspaceRecord];
  if (refused.length > 0) throw carrelError('RESET_REFUSED', { name, risks: refused });
  return { processes };
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
  { snapshotId, settings, startsAt, set, passTogether }: PartPlan,
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
    ...{ snapshotId, accepted, reason: 'reset', hasRemains: true, set, signal },
    onCaptured: () => progress.step('captured'),
  });
  await passTogether({
    change: ({ journal }) => journal.advance(progress.id, context.self, 'snapshotted'),
    confirm: () => {
      reached.snapshotted = true;
      progress.pass('snapshotted');
    },
  });
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
  const event = resetEvent('workspace.resetting', record);
  const { name } = record;
  const claimed = await claimReady(context, record, patch, event, {
    signal,
    kinds: ['snapshot', 'checkpoint'],
  });
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
