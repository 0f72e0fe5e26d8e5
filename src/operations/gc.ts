import { CarrelError } from '../domain/error.js';
import { formatDuration } from '../domain/quantity.js';
import type { Remains } from '../domain/remains.js';
import type { GcItem, GcReport } from '../domain/result.js';
import { type Risk, unacceptedRisks } from '../domain/risk.js';
import type { Snapshot } from '../domain/snapshot.js';
import type { TaskRecord } from '../domain/task.js';
import { isActive } from '../domain/task-state.js';
import type { WorkspaceRecord } from '../domain/workspace.js';
import { assessRemoval } from './assess-removal.js';
import type { Context } from './context.js';
import { moveRecordAside, type RemovalOrder } from './down.js';
import { listRecords } from './find.js';
import { collectSlots } from './gc-slots.js';
import { collectKeptFiles } from './kept-files.js';
import { settleAbandoned, settleOrLeave } from './leave-remains.js';
import { locateRepository } from './locate-repository.js';
import { measureWorkspace } from './measure-workspace.js';
import { removeSnapshot } from './remove-snapshot.js';
import { settlePools } from './settle-pools.js';
import { listSnapshots } from './snapshot.js';
import { isOfTask } from './task-of-workspace.js';
import { whileReady } from './while-ready.js';

export interface GcInput {
  readonly repository: string;
  readonly all?: boolean | undefined;
  /** Age of the last recorded activity; the configured number of days by default. */
  readonly olderThanMs?: number | undefined;
  /** False gives the plan only. */
  readonly execute: boolean;
  readonly signal?: AbortSignal | undefined;
}

const DAY_MS = 86_400_000;

/** Plans what can go without losing anything, with a reason for every item, and does it when told to. */
export async function collectGarbage(context: Context, input: GcInput): Promise<GcReport> {
  // Unlike a listing, this does not take all repositories for granted where there is none around.
  const repository = input.all ? undefined : await locateRepository(context, input.repository);
  await settlePools(context, repository);
  const { config } = await context.loadConfig(repository?.root ?? null);
  const olderThanMs = input.olderThanMs ?? config.workspace.cleanupDays * DAY_MS;
  if (input.execute) await settleAbandoned(context);
  const items: GcItem[] = [];
  const remains: Remains[] = [];
  const tasks = await context.store.tasks.list();
  for (const record of await listRecords(context, input)) {
    input.signal?.throwIfAborted();
    const candidate = { record, task: await findTask(context, tasks, record) };
    const look = () =>
      input.execute
        ? executeWorkspace(context, candidate, remains, input.signal)
        : planWorkspace(context, candidate);
    items.push(findReasonToKeep(context, candidate, olderThanMs) ?? (await look()));
  }
  // One process in the background for all of them.
  for (const warning of await settleOrLeave(context, remains)) context.narrate(`warning: ${warning}`);
  items.push(...(await collectSlots(context, { repository, olderThanMs, execute: input.execute })));
  items.push(...(await collectKeptFiles(context, { ...input, olderThanMs })));
  for (const snapshot of await listSnapshots(context, input)) {
    input.signal?.throwIfAborted();
    const planned = planSnapshot(context, snapshot);
    items.push(input.execute ? await executeSnapshot(context, snapshot, planned) : planned);
  }
  return { executed: input.execute, olderThanMs, items, freedBytes: sumFreed(items) };
}

/** A workspace, and the task that it was made for. */
interface Candidate {
  readonly record: WorkspaceRecord;
  readonly task: TaskRecord | undefined;
}

/** As it is now: it may have gone on while others were looked at. */
async function findTask(
  { store }: Context,
  tasks: readonly TaskRecord[],
  record: WorkspaceRecord,
): Promise<TaskRecord | undefined> {
  const known = tasks.findLast(task => isOfTask(task, record));
  return known && store.tasks.find(known.id);
}

/** What needs no look at the files. */
function findReasonToKeep(
  context: Context,
  { record, task }: Candidate,
  olderThanMs: number,
): GcItem | undefined {
  if (task && isActive(task.status)) return describe(record, 'kept', `its task ${task.id} is ${task.status}`);
  if (task?.status === 'interrupted')
    return describe(record, 'kept', `its task was interrupted; go on with: carrel task retry ${task.id}`);
  if (record.status !== 'ready') return describe(record, 'kept', `it is ${record.status} by another process`);
  const idleMs = idleTime(context, record);
  if (idleMs >= olderThanMs) return undefined;
  const reason = `used ${formatDuration(idleMs)} ago, kept for ${formatDuration(olderThanMs)}`;
  return describe(record, 'kept', reason);
}

/**
 * When a task has ended, all that is left of it is held by its branch and a snapshot, and that is what its user was told;
 * a workspace that somebody made by hand goes only when there is nothing to lose.
 */
const orderFor = ({ task }: Candidate): Pick<RemovalOrder, 'accepted' | 'keepBranch'> =>
  task ? { accepted: { snapshotChanges: true }, keepBranch: true } : { accepted: {} };

async function planWorkspace(context: Context, candidate: Candidate): Promise<GcItem> {
  const { record } = candidate;
  const { accepted, keepBranch: keepsBranch } = orderFor(candidate);
  try {
    const look = await whileReady(context, record, () => assessRemoval(context, record, { keepsBranch }));
    const risks = unacceptedRisks(look.risks, accepted);
    if (risks.length > 0) return describe(record, 'kept', risks.map(risk => risk.message).join('; '));
  } catch (error) {
    // What can't be judged is kept.
    if (!(error instanceof CarrelError)) throw error;
    return describe(record, 'kept', error.message);
  }
  const reason = reasonToGo(context, candidate);
  return describe(record, 'planned', reason, await measureWorkspace(context, record));
}

/** Removing looks for itself, just before: nothing is done on the word of an older plan. */
async function executeWorkspace(
  context: Context,
  candidate: Candidate,
  remains: Remains[],
  signal?: AbortSignal,
): Promise<GcItem> {
  const { record } = candidate;
  const bytes = await measureWorkspace(context, record);
  try {
    const removed = await moveRecordAside(context, record, { ...orderFor(candidate), reason: 'gc', signal });
    remains.push(...removed.remains);
    for (const warning of removed.warnings) context.narrate(`warning: ${warning}`);
    return describe(record, 'removed', reasonToGo(context, candidate), bytes);
  } catch (error) {
    if (!(error instanceof CarrelError)) throw error;
    if (error.code === 'WORKSPACE_NOT_FOUND')
      return describe(record, 'removed', 'another process removed it meanwhile');
    return describe(record, error.kind === 'conflict' ? 'kept' : 'failed', explain(error));
  }
}

/** The risks alone: that it was kept is said by the item. */
function explain(error: CarrelError): string {
  const risks = error.details.risks as readonly Risk[] | undefined;
  return risks ? risks.map(risk => risk.message).join('; ') : error.message;
}

const idleTime = (context: Context, record: WorkspaceRecord): number =>
  context.now() - Date.parse(record.lastActivityAt);

function reasonToGo(context: Context, { record, task }: Candidate): string {
  const idle = `not used for ${formatDuration(idleTime(context, record))}`;
  return task
    ? `${idle}, its task ${task.id} ${task.status}; a snapshot and what is not landed of its branch stay`
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

function planSnapshot(context: Context, snapshot: Snapshot): GcItem {
  const leftMs = Date.parse(snapshot.expiresAt) - context.now();
  const base = {
    kind: 'snapshot',
    id: snapshot.id,
    name: snapshot.workspaceName,
    path: null,
    bytes: null,
    outcome: 'planned',
  } as const;
  if (leftMs > 0)
    return { ...base, action: 'keep', reason: `can be restored for another ${formatDuration(leftMs)}` };
  return { ...base, action: 'remove', reason: `expired ${formatDuration(-leftMs)} ago` };
}

async function executeSnapshot(context: Context, snapshot: Snapshot, item: GcItem): Promise<GcItem> {
  if (item.action === 'keep') return { ...item, outcome: 'kept' };
  await removeSnapshot(context, snapshot);
  return { ...item, outcome: 'removed' };
}

const sumFreed = (items: readonly GcItem[]): number =>
  items.filter(item => item.outcome === 'removed').reduce((sum, item) => sum + (item.bytes ?? 0), 0);
