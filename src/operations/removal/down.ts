import { carrelError } from '../../domain/error/error.js';
import { createId } from '../../domain/id.js';
import type { RemovalResult } from '../../domain/report/result.js';
import type { SnapshotReason } from '../../domain/snapshot/snapshot.js';
import { type AcceptedRisks, createRisk, type Risk, unacceptedRisks } from '../../domain/workspace/risk.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { awaitSnapshot } from '../capture/snapshot-claim.js';
import type { Context } from '../context.js';
import { aliasOf, isRepositoryGone, listParts } from '../group/group-records.js';
import { type PassTogether, runTogether } from '../group/together.js';
import { whileReady } from '../guard/while-ready.js';
import { removeOrSchedule } from '../remains/schedule-remains.js';
import { importCommits } from '../sandbox/import-commits.js';
import { findWorkspace, type WorkspaceQuery } from '../workspace/find-workspace.js';
import { type AssessmentOptions, assessRemoval, type RemovalAssessment } from './assess-removal.js';
import { removalEvent, type WithRemains } from './finish-removal.js';
import { moveOneAside, type RemovalOrder } from './move-aside.js';

export interface RemoveInput extends WorkspaceQuery {
  readonly accepted: AcceptedRisks;
  readonly reason?: SnapshotReason | undefined;
  /** Respected until the snapshot exists. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Removes a workspace when that loses nothing, or when the caller accepts the losses. In any case its files are first moved aside and
 * captured in a snapshot; only then is anything deleted. With many files that is left to the background.
 */
export async function removeWorkspace(context: Context, input: RemoveInput): Promise<RemovalResult> {
  const record = await findWorkspace(context, input);
  const { accepted, reason = 'down', signal } = input;
  return removeRecord(context, record, { accepted, reason, signal });
}

/** With all of its parts, if it has several repositories. */
export async function removeRecord(
  context: Context,
  record: WorkspaceRecord,
  order: RemovalOrder,
): Promise<RemovalResult> {
  const { remains, ...removed } = await moveRecordAside(context, record, order);
  const warnings = await removeOrSchedule(context, remains);
  return { ...removed, warnings: [...removed.warnings, ...warnings] };
}

/** The whole removal except deleting the files: of all parts, or of none. */
export async function moveRecordAside(
  context: Context,
  record: WorkspaceRecord,
  order: RemovalOrder,
): Promise<RemovalResult & WithRemains> {
  const parts = await listParts(context, record);
  if (parts.length === 1) return moveOneAside(context, record, order);
  await requireAccepted(context, parts, order);
  const set = { id: createId('snap', context.ids), size: parts.length };
  const moved = await runTogether(
    context,
    parts.map(
      part => passTogether =>
        isRepositoryGone(part)
          ? forget(part, passTogether)
          : moveOneAside(context, part, { ...order, set, passTogether }),
    ),
  );
  return joinRemovals(parts, moved);
}

/** Without its repository the files of a part can't be captured, so they stay. */
async function forget(
  part: WorkspaceRecord,
  passTogether: PassTogether,
): Promise<RemovalResult & WithRemains> {
  await passTogether({
    change: async ({ workspaces }) => {
      await workspaces.remove(part.id, [removalEvent('workspace.removed', part)]);
    },
    confirm: () => {},
  });
  const { id, name, path, branch: keptBranch } = part;
  return {
    ...{ id, name, path, keptBranch, snapshot: null, deletedBranch: null, keptFiles: true },
    ...{ omitted: [], stopped: [], remains: [] },
    warnings: [`its repository is gone; its files stay at ${path}`],
  };
}

/** Before any part is touched. REMOVAL_REFUSED with the risks of all. */
async function requireAccepted(
  context: Context,
  parts: readonly WorkspaceRecord[],
  { accepted, keepBranch: keepsBranch, forOwnTask, signal }: RemovalOrder,
): Promise<void> {
  const risks: Risk[] = [];
  for (const part of parts) {
    await awaitSnapshot(context, part, signal);
    const imported = isRepositoryGone(part)
      ? undefined
      : await whileReady(context, part, () => importCommits(context, part, signal));
    risks.push(...(await assessParts(context, [part], { imported, keepsBranch, forOwnTask })));
  }
  const refused = unacceptedRisks(risks, accepted);
  const [{ name } = { name: '' }] = parts;
  if (refused.length > 0) throw carrelError('REMOVAL_REFUSED', { name, risks: refused });
  signal?.throwIfAborted();
}

/** The risks of removing a workspace with all of its parts. */
export async function assessParts(
  context: Context,
  parts: readonly WorkspaceRecord[],
  options: AssessmentOptions = {},
): Promise<Risk[]> {
  const risks: Risk[] = [];
  for (const part of parts) {
    const found = await whileReady(context, part, () => assessPart(context, part, options));
    risks.push(...found.risks.map(risk => withAlias(part, risk)));
  }
  return risks;
}

async function assessPart(
  context: Context,
  part: WorkspaceRecord,
  options: AssessmentOptions,
): Promise<Pick<RemovalAssessment, 'risks'>> {
  if (!part.group || !isRepositoryGone(part)) return assessRemoval(context, part, options);
  const { repository, path } = part;
  const message = `its repository ${repository} is gone; its files would stay at ${path}, without a snapshot`;
  return { risks: [createRisk('unreachable', message, [path])] };
}

/** The message says which repository it is about. */
export const withAlias = (part: WorkspaceRecord, risk: Risk): Risk =>
  part.group ? { ...risk, message: `${aliasOf(part)}: ${risk.message}` } : risk;

/** The first part, with what was done to all of them. */
function joinRemovals(
  parts: readonly WorkspaceRecord[],
  moved: readonly (RemovalResult & WithRemains)[],
): RemovalResult & WithRemains {
  const aliases = parts.map(aliasOf);
  const [first] = moved as [RemovalResult & WithRemains];
  return {
    ...first,
    omitted: moved.flatMap(({ omitted }, index) =>
      omitted.map(file => ({ ...file, path: `${aliases[index]}/${file.path}` })),
    ),
    stopped: moved.flatMap(({ stopped }) => stopped),
    warnings: moved.flatMap(({ warnings }, index) => warnings.map(text => `${aliases[index]}: ${text}`)),
    remains: moved.flatMap(({ remains }) => remains),
    repositories: moved.map(({ id, path, snapshot, deletedBranch, keptBranch }, index) => ({
      alias: aliases[index] as string,
      ...{ id, path, snapshot, deletedBranch, keptBranch },
    })),
  };
}
