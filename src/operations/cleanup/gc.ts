import { CarrelError } from '../../domain/error/error.js';
import { requireAgreement } from '../../domain/quantity/clock-agreement.js';
import type { GcItem, GcReport } from '../../domain/report/result.js';
import { formatOmitted } from '../../domain/snapshot/omitted-files.js';
import type { Remains } from '../../domain/snapshot/remains.js';
import type { TaskRecord } from '../../domain/task/task.js';
import { isUnfinished } from '../../domain/task/task-state.js';
import { formatDuration } from '../../domain/text/format-quantity.js';
import { type Risk, unacceptedRisks } from '../../domain/workspace/risk.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { keptDirIn, pruneKept } from '../../git/snapshot/kept-store.js';
import type { Repository } from '../../workspace/backend.js';
import { collectBatchDirectories } from '../batch/clean-up-batch-directories.js';
import type { Context } from '../context.js';
import { listParts } from '../group/group-records.js';
import { isOfTask } from '../guard/task-of-workspace.js';
import { collectSlots } from '../pool/clean-up-slots.js';
import { recoverPools } from '../pool/recover-pools.js';
import { removeAbandonedRemains, removeOrSchedule } from '../remains/schedule-remains.js';
import { assessParts, moveRecordAside } from '../removal/down.js';
import type { RemovalOrder } from '../removal/move-aside.js';
import { locateRepository } from '../repository/locate-repository.js';
import { listSnapshots } from '../snapshot/snapshot.js';
import { measureWorkspace } from '../space/measure-workspace.js';
import { listRecords } from '../workspace/find-workspace.js';
import { collectKeptFiles } from './expire-kept-files.js';
import { expireSnapshot } from './expire-snapshot.js';

export interface GcInput {
  readonly repository: string;
  readonly all?: boolean | undefined;
  /** Age of the last recorded activity; the configured number of days by default. */
  readonly olderThanMs?: number | undefined;
  /** False returns only the plan. */
  readonly execute: boolean;
  /** The clock is right, although the newest event has a very different time. */
  readonly trustClock?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

const DAY_MS = 86_400_000;

/** Plans what can be removed without losing anything, with a reason for every item, and removes it on request. */
export async function collectGarbage(context: Context, input: GcInput): Promise<GcReport> {
  if (input.execute) await (input.trustClock ? trustClock(context) : requireClock(context));
  // Unlike a listing, this does not default to all repositories outside of one.
  const repository = input.all ? undefined : await locateRepository(context, input.repository);
  // First, because otherwise pools of such a batch would be recovered only to be removed.
  const batchDirectories = await collectBatchDirectories(context, input.execute);
  await recoverPools(context, repository);
  const { config } = await context.loadConfig(repository?.root ?? null);
  const olderThanMs = input.olderThanMs ?? config.workspace.cleanupDays * DAY_MS;
  if (input.execute) await removeAbandonedRemains(context);
  const items: GcItem[] = [...batchDirectories];
  const remains: Remains[] = [];
  const tasks = await context.store.tasks.list();
  for (const record of await listRecords(context, input)) {
    input.signal?.throwIfAborted();
    const parts = await listParts(context, record);
    // One of its other parts was listed before, and is in the report.
    if (parts.some(({ id }) => items.some(item => item.id === id))) continue;
    const candidate = { record, parts, task: await findTask(context, tasks, parts[0] ?? record) };
    const look = () =>
      input.execute
        ? executeWorkspace(context, candidate, remains, input.signal)
        : planWorkspace(context, candidate);
    items.push(findReasonToKeep(context, candidate, olderThanMs) ?? (await look()));
  }
  // One process in the background for all of them.
  for (const warning of await removeOrSchedule(context, remains)) context.narrate(`warning: ${warning}`);
  items.push(...(await collectSlots(context, { repository, olderThanMs, execute: input.execute })));
  items.push(...(await collectKeptFiles(context, { ...input, olderThanMs })));
  for (const snapshot of await listSnapshots(context, input)) {
    input.signal?.throwIfAborted();
    items.push(await expireSnapshot(context, snapshot, input.execute));
  }
  if (items.some(({ kind, outcome }) => kind === 'snapshot' && outcome === 'removed'))
    await pruneKept(context.git, keptDirIn(context.places.stateDir));
  return { executed: input.execute, olderThanMs, items, freedBytes: sumFreed(items) };
}

/** What it would remove of a repository now, regardless of age. */
export async function findFreeable(
  context: Context,
  repository: Repository,
): Promise<{ count: number; bytes: number }> {
  const report = await collectGarbage(context, {
    repository: repository.root,
    all: repository.commonDir === null,
    execute: false,
    olderThanMs: 0,
  });
  const removable = report.items.filter(item => item.action === 'remove');
  return {
    count: removable.length,
    bytes: removable.reduce((sum, item) => sum + (item.bytes ?? 0), 0),
  };
}

/** A workspace, and the task that it was made for. */
interface Candidate {
  readonly record: WorkspaceRecord;
  /** Only itself, unless it has several repositories. */
  readonly parts: readonly WorkspaceRecord[];
  readonly task: TaskRecord | undefined;
}

/** Its current state: it may have changed while others were checked. */
async function findTask(
  { store }: Pick<Context, 'store'>,
  tasks: readonly TaskRecord[],
  record: WorkspaceRecord,
): Promise<TaskRecord | undefined> {
  const known = tasks.findLast(task => isOfTask(task, record));
  return known && store.tasks.find(known.id);
}

/** Checks that don't read the files. */
function findReasonToKeep(
  context: Pick<Context, 'now'>,
  { record, parts, task }: Candidate,
  olderThanMs: number,
): GcItem | undefined {
  if (task && isUnfinished(task.status))
    return describe(record, 'kept', `its task ${task.id} is ${task.status}`);
  if (task?.status === 'interrupted')
    return describe(record, 'kept', `its task was interrupted; resume it with: carrel task retry ${task.id}`);
  const busy = parts.find(({ status }) => status !== 'ready');
  if (busy) return describe(record, 'kept', `it is ${busy.status} by another process`);
  const idleMs = Math.min(...parts.map(part => idleTime(context, part)));
  if (idleMs >= olderThanMs) return undefined;
  const reason = `used ${formatDuration(idleMs)} ago, kept for ${formatDuration(olderThanMs)}`;
  return describe(record, 'kept', reason);
}

/**
 * When a task has finished, its branch and a snapshot hold all its work; a workspace created by
 * hand is removed only when there is nothing to lose.
 */
const orderFor = ({ task }: Candidate): Pick<RemovalOrder, 'accepted' | 'keepBranch'> =>
  task ? { accepted: { snapshotChanges: true }, keepBranch: true } : { accepted: {} };

async function planWorkspace(context: Context, candidate: Candidate): Promise<GcItem> {
  const { record, parts } = candidate;
  const { accepted, keepBranch: keepsBranch } = orderFor(candidate);
  try {
    const risks = unacceptedRisks(await assessParts(context, parts, { keepsBranch }), accepted);
    if (risks.length > 0) return describe(record, 'kept', risks.map(risk => risk.message).join('; '));
  } catch (error) {
    // If that can't be determined, it is kept.
    if (!(error instanceof CarrelError)) throw error;
    return describe(record, 'kept', error.message);
  }
  const reason = describeReasonToRemove(context, candidate);
  return describe(record, 'planned', reason, await measureParts(context, parts));
}

/** Removing checks again just before: an older plan is not trusted. */
async function executeWorkspace(
  context: Context,
  candidate: Candidate,
  remains: Remains[],
  signal?: AbortSignal,
): Promise<GcItem> {
  const { record, parts } = candidate;
  const bytes = await measureParts(context, parts);
  try {
    const removed = await moveRecordAside(context, record, { ...orderFor(candidate), reason: 'gc', signal });
    remains.push(...removed.remains);
    for (const warning of removed.warnings) context.narrate(`warning: ${warning}`);
    if (removed.omitted.length > 0)
      context.narrate(`${record.name}: not in its snapshot: ${formatOmitted(removed.omitted)}`);
    return describe(record, 'removed', describeReasonToRemove(context, candidate), bytes);
  } catch (error) {
    if (!(error instanceof CarrelError)) throw error;
    if (error.code === 'WORKSPACE_NOT_FOUND')
      return describe(record, 'removed', 'another process removed it');
    return describe(record, error.kind === 'conflict' ? 'kept' : 'failed', explain(error));
  }
}

async function measureParts(context: Context, parts: readonly WorkspaceRecord[]): Promise<number | null> {
  const sizes = await Promise.all(parts.map(part => measureWorkspace(context, part)));
  return sizes.reduce<number | null>((sum, size) => (size === null ? sum : (sum ?? 0) + size), null);
}

/** Only the risks: the item itself says that it was kept. */
function explain(error: CarrelError): string {
  const risks = error.details.risks as readonly Risk[] | undefined;
  return risks ? risks.map(risk => risk.message).join('; ') : error.message;
}

const idleTime = (context: Pick<Context, 'now'>, record: WorkspaceRecord): number =>
  Math.max(0, context.now() - Date.parse(record.lastActivityAt));

function describeReasonToRemove(context: Pick<Context, 'now'>, { record, task }: Candidate): string {
  const idle = `not used for ${formatDuration(idleTime(context, record))}`;
  return task
    ? `${idle}, its task ${task.id} ${task.status}; a snapshot and unlanded commits on its branch stay`
    : `${idle}, nothing to lose`;
}

function describe(
  { id, name, path }: WorkspaceRecord,
  outcome: GcItem['outcome'],
  reason: string,
  bytes: number | null = null,
): GcItem {
  const action = outcome === 'planned' || outcome === 'removed' ? 'remove' : 'keep';
  return { kind: 'workspace', id, name, path, action, reason, bytes, outcome };
}

const sumFreed = (items: readonly GcItem[]): number =>
  items.filter(item => item.outcome === 'removed').reduce((sum, item) => sum + (item.bytes ?? 0), 0);

/** CLOCK_DISAGREES when the clock and the newest event of the store disagree. */
/** From here on, events of an earlier wrong clock no longer count. */
const trustClock = ({ store }: Pick<Context, 'store'>): Promise<void> =>
  store.events.append([{ type: 'clock.trusted', repositoryId: null, workspaceId: null, data: {} }]);

async function requireClock(context: Pick<Context, 'store' | 'now'>): Promise<void> {
  const latest = await context.store.events.latestTime();
  if (latest !== null) requireAgreement(context.now(), latest);
}
