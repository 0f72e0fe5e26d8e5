import { lstat, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CarrelError, ignoreMissing } from '../domain/error.js';
import { formatDuration } from '../domain/quantity.js';
import type { GcItem, GcReport } from '../domain/result.js';
import type { TaskRecord } from '../domain/task.js';
import type { WorkspaceRecord } from '../domain/workspace.js';
import type { Context } from '../operations/context.js';
import { collectGarbage, type GcInput } from '../operations/gc.js';
import { locateRepository } from '../operations/locate-repository.js';
import { isOfTask } from '../operations/task-of-workspace.js';
import { removeTree } from '../workspace/remove-tree.js';
import { measureDirectory } from '../workspace/size.js';
import { taskPlace } from './task-place.js';

/** The whole of a clean-up: workspaces, slots and snapshots, and tasks whose workspaces went before. */
export async function collectAllGarbage(context: Context, input: GcInput): Promise<GcReport> {
  const workspaces = await context.store.workspaces.list();
  const report = await collectGarbage(context, input);
  const tasks = await forgetTasks(context, input, workspaces);
  const freed = tasks.filter(({ outcome }) => outcome === 'removed').map(({ bytes }) => bytes ?? 0);
  return {
    ...report,
    items: [...report.items, ...tasks],
    freedBytes: freed.reduce((sum, bytes) => sum + bytes, report.freedBytes),
  };
}

const DAY_MS = 86_400_000;

/**
 * Tasks that have ended are remembered, with logs and outputs, for as long as snapshots are kept, and while a workspace
 * of theirs is there; one that was interrupted until somebody goes on with it or cancels it. Branches are not touched.
 */
async function forgetTasks(
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
    if (ageOf(context, task) < keepMs || workspaces.some(record => isOfTask(task, record))) continue;
    const planned = await plan(context, task);
    items.push(input.execute ? await forget(context, task, planned) : planned);
  }
  if (input.execute) await removeForgottenPlaces(context, keepMs);
  return items;
}

const ageOf = ({ now }: Context, { endedAt, createdAt }: TaskRecord): number =>
  now() - Date.parse(endedAt ?? createdAt);

async function plan(context: Context, task: TaskRecord): Promise<GcItem> {
  const { id, status } = task;
  const { directory: path } = taskPlace(context.places.stateDir, id);
  const reason = `${status} ${formatDuration(ageOf(context, task))} ago, its workspace is gone`;
  const bytes = await measureDirectory(path);
  return { kind: 'task', id, name: id, path, action: 'remove', reason, bytes, outcome: 'planned' };
}

async function forget(context: Context, task: TaskRecord, planned: GcItem): Promise<GcItem> {
  const isForgotten = await context.store.atomically(async ({ tasks }) => {
    // Somebody may have it tried again by now.
    const present = await tasks.find(task.id);
    return present?.status === task.status && present.endedAt === task.endedAt && tasks.remove(task.id);
  });
  if (!isForgotten) return { ...planned, action: 'keep', reason: 'it is tried again', outcome: 'kept' };
  try {
    await removeTree(planned.path as string);
    return { ...planned, outcome: 'removed' };
  } catch (error) {
    if (error instanceof CarrelError) throw error;
    const problem = error instanceof Error ? error.message : String(error);
    return { ...planned, reason: `its files could not be removed: ${problem}`, outcome: 'failed' };
  }
}

/**
 * What a crash after forgetting a task has left; a task is in the store before it has a place. Old ones only: whoever has
 * lost the store still has the logs then.
 */
async function removeForgottenPlaces({ store, places, now }: Context, keepMs: number): Promise<void> {
  const root = dirname(taskPlace(places.stateDir, 'any').directory);
  for (const name of (await readdir(root).catch(ignoreMissing)) ?? []) {
    const path = join(root, name);
    const isOld = now() - ((await lstat(path).catch(ignoreMissing))?.mtimeMs ?? now()) >= keepMs;
    const isKnown = !isOld || (await store.tasks.findIds(name)).includes(name);
    if (!isKnown) await removeTree(path).catch(() => undefined);
  }
}
