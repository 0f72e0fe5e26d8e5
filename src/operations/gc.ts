import { CarrelError } from '../domain/error.js';
import { formatDuration } from '../domain/quantity.js';
import type { GcItem, GcReport } from '../domain/result.js';
import type { Snapshot } from '../domain/snapshot.js';
import type { WorkspaceRecord } from '../domain/workspace.js';
import { measureDirectory } from '../workspace/size.js';
import { assessRemoval } from './assess-removal.js';
import type { Context } from './context.js';
import { removeRecord } from './down.js';
import { listRecords } from './find.js';
import { removeSnapshot } from './remove-snapshot.js';
import { listSnapshots } from './snapshot.js';
import { whileReady } from './while-ready.js';

export interface GcInput {
  readonly repository: string;
  readonly all?: boolean | undefined;
  /** Age of the last recorded activity; the configured number of days by default. */
  readonly olderThanMs?: number | undefined;
  /** False gives the plan only. */
  readonly execute: boolean;
}

const DAY_MS = 86_400_000;

/** Plans what can go without losing anything, with a reason for every item, and does it when told to. */
export async function collectGarbage(context: Context, input: GcInput): Promise<GcReport> {
  // Unlike a listing, this does not take all repositories for granted where there is none around.
  const repository = input.all ? undefined : await context.backends.git.locate(input.repository);
  const { config } = await context.loadConfig(repository?.root ?? null);
  const olderThanMs = input.olderThanMs ?? config.workspace.cleanupDays * DAY_MS;
  const items: GcItem[] = [];
  for (const record of await listRecords(context, input)) {
    const planned = await planWorkspace(context, record, olderThanMs);
    items.push(input.execute ? await executeWorkspace(context, record, planned) : planned);
  }
  for (const snapshot of await listSnapshots(context, input)) {
    const planned = planSnapshot(context, snapshot);
    items.push(input.execute ? await executeSnapshot(context, snapshot, planned) : planned);
  }
  return { executed: input.execute, olderThanMs, items, freedBytes: sumFreed(items) };
}

async function planWorkspace(
  context: Context,
  record: WorkspaceRecord,
  olderThanMs: number,
): Promise<GcItem> {
  const base = {
    kind: 'workspace',
    id: record.id,
    name: record.name,
    path: record.path,
    outcome: 'planned',
  } as const;
  const bytes = record.backend === 'direct' ? null : await measureDirectory(record.path);
  const keep = (reason: string): GcItem => ({ ...base, action: 'keep', reason, bytes });
  if (record.status !== 'ready') return keep(`it is ${record.status} by another process`);
  const idleMs = context.now() - Date.parse(record.lastActivityAt);
  if (idleMs < olderThanMs)
    return keep(`used ${formatDuration(idleMs)} ago, kept for ${formatDuration(olderThanMs)}`);
  const { risks } = await whileReady(context, record, () => assessRemoval(context, record)).catch(asRisk);
  if (risks.length > 0) return keep(risks.map(risk => risk.message).join('; '));
  return {
    ...base,
    action: 'remove',
    reason: `not used for ${formatDuration(idleMs)}, nothing to lose`,
    bytes,
  };
}

/** What can't be judged is kept. */
function asRisk(error: unknown): { risks: readonly { message: string }[] } {
  if (!(error instanceof CarrelError)) throw error;
  return { risks: [{ message: error.message }] };
}

/** Looks once more, just before: the plan may be old by now. */
async function executeWorkspace(context: Context, record: WorkspaceRecord, item: GcItem): Promise<GcItem> {
  if (item.action === 'keep') return { ...item, outcome: 'kept' };
  try {
    const { warnings } = await removeRecord(context, record, {}, 'gc');
    for (const warning of warnings) context.narrate(`warning: ${warning}`);
    return { ...item, outcome: 'removed' };
  } catch (error) {
    if (!(error instanceof CarrelError)) throw error;
    if (error.code === 'WORKSPACE_NOT_FOUND')
      return { ...item, outcome: 'removed', reason: 'another process removed it meanwhile', bytes: 0 };
    const outcome = error.kind === 'conflict' ? 'kept' : 'failed';
    return { ...item, action: 'keep', reason: error.message, outcome };
  }
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
