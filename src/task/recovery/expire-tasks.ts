import { lstat, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CarrelError, ignoreMissing } from '../../domain/error/error.js';
import type { GcItem, GcReport } from '../../domain/report/result.js';
import type { TaskRecord } from '../../domain/task/task.js';
import { formatDuration } from '../../domain/text/format-quantity.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { collectGarbage, type GcInput } from '../../operations/cleanup/gc.js';
import { removeMark, waitForSecondStep } from '../../operations/cleanup/two-step-expiry.js';
import type { Context } from '../../operations/context.js';
import { isOfTask } from '../../operations/guard/task-of-workspace.js';
import { locateRepository } from '../../operations/repository/locate-repository.js';
import { measureDiskUsage } from '../../workspace/files/directory-size.js';
import { removeTree } from '../../workspace/files/remove-tree.js';
import { taskPlace } from '../record/task-place.js';

/** A complete cleanup: workspaces, slots and snapshots, and tasks whose workspaces were removed earlier. */
export async function collectAllGarbage(context: Context, input: GcInput): Promise<GcReport> {
  const workspaces = await context.store.workspaces.list();
  const report = await collectGarbage(context, input);
  const tasks = await removeExpiredTasks(context, input, workspaces);
  const freed = tasks.filter(({ outcome }) => outcome === 'removed').map(({ bytes }) => bytes ?? 0);
  return {
    ...report,
    items: [...report.items, ...tasks],
    freedBytes: freed.reduce((sum, bytes) => sum + bytes, report.freedBytes),
  };
}

const DAY_MS = 86_400_000;

/**
 * Ended tasks are kept, with logs and outputs, as long as snapshots are kept, and while they have a workspace;
 * an interrupted task is kept until it is resumed or cancelled. Branches are not touched.
 */
async function removeExpiredTasks(
  context: Context,
  input: GcInput,
  workspaces: readonly WorkspaceRecord[],
): Promise<GcItem[]> {
  const repositoryId = input.all ? undefined : (await locateRepository(context, input.repository)).id;
  const { config } = await context.loadConfig(null);
  const keepMs = config.snapshots.keepDays * DAY_MS;
  const statuses = ['succeeded', 'failed', 'cancelled'] as const;
  const items: GcItem[] = [];
  for (const task of await context.store.tasks.list({ repositoryId, statuses })) {
    input.signal?.throwIfAborted();
    if (ageOf(context, task) < keepMs || workspaces.some(record => isOfTask(task, record))) {
      if (input.execute) await removeMark(context, { kind: 'task', id: task.id });
      continue;
    }
    const planned = await waitForSecondStep(context, await plan(context, task), input.execute);
    const goes = input.execute && planned.action === 'remove';
    items.push(goes ? await removeTask(context, task, planned) : planned);
  }
  if (input.execute) await removeOrphanedDirectories(context, keepMs);
  return items;
}

const ageOf = ({ now }: Pick<Context, 'now'>, { endedAt, createdAt }: TaskRecord): number =>
  now() - Date.parse(endedAt ?? createdAt);

async function plan(context: Pick<Context, 'now' | 'places'>, task: TaskRecord): Promise<GcItem> {
  const { id, status } = task;
  const { directory: path } = taskPlace(context.places.stateDir, id);
  const reason = `${status} ${formatDuration(ageOf(context, task))} ago, its workspace is gone`;
  const bytes = await measureDiskUsage(path);
  return { kind: 'task', id, name: id, path, action: 'remove', reason, bytes, outcome: 'planned' };
}

async function removeTask(
  context: Pick<Context, 'store' | 'places'>,
  task: TaskRecord,
  planned: GcItem,
): Promise<GcItem> {
  const isForgotten = await context.store.atomically(async ({ tasks }) => {
    // The task may have been retried by now.
    const present = await tasks.find(task.id);
    return present?.status === task.status && present.endedAt === task.endedAt && tasks.remove(task.id);
  });
  if (!isForgotten) return { ...planned, action: 'keep', reason: 'it is being retried', outcome: 'kept' };
  try {
    await removeTree(planned.path as string);
    await removeMark(context, planned);
    return { ...planned, outcome: 'removed' };
  } catch (error) {
    if (error instanceof CarrelError) throw error;
    const problem = error instanceof Error ? error.message : String(error);
    return { ...planned, reason: `cannot remove its files: ${problem}`, outcome: 'failed' };
  }
}

/**
 * Leftovers of a crash after forgetting a task; a task is in the store before it has a directory. Only old ones: if the store
 * was lost, the logs still exist.
 */
async function removeOrphanedDirectories(
  context: Pick<Context, 'store' | 'now' | 'steadyTime' | 'places'>,
  keepMs: number,
): Promise<void> {
  const { store, places, now } = context;
  const root = dirname(taskPlace(places.stateDir, 'any').directory);
  for (const name of (await readdir(root).catch(ignoreMissing)) ?? []) {
    const path = join(root, name);
    const isOld = now() - ((await lstat(path).catch(ignoreMissing))?.mtimeMs ?? now()) >= keepMs;
    const isKnown = !isOld || (await store.tasks.findIds(name)).includes(name);
    if (isKnown) continue;
    const item = { kind: 'task', id: name, name, path, reason: '', bytes: null } as const;
    const planned = { ...item, action: 'remove', outcome: 'planned' } as const;
    if ((await waitForSecondStep(context, planned, true)).action === 'keep') continue;
    await removeTree(path).then(
      () => removeMark(context, planned),
      () => undefined,
    );
  }
}
