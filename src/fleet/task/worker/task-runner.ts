import { readdir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { carrelError, ignoreMissing } from '../../../domain/error/error.js';
import type { TaskJob } from '../../../domain/fleet/task-job.js';
import type { Task, TaskRecord } from '../../../domain/task/task.js';
import type { Context } from '../../../operations/context.js';
import { removeWithoutSnapshot } from '../../../operations/removal/remove-without-snapshot.js';
import { executeTask } from '../../../task/execute-task.js';
import { taskPlace } from '../../../task/record/task-place.js';
import { removeTree } from '../../../workspace/files/remove-tree.js';
import type { BlobStore } from '../../artifacts/blob-store.js';
import { openHostCache } from '../../travel/host-cache.js';
import { type ClaimName, nameOfClaim } from '../../travel/trust/worker-terms.js';
import { collectWork, listTaskWorkspaces } from './collect-work.js';
import { openOrder } from './open-order.js';
import { packTaskResult } from './pack-task-result.js';

export interface TaskControl {
  /** Stops its agents, and cancels the task on this host. */
  readonly stop: AbortSignal;
  readonly onProgress: (text: string) => void;
}

/** A task that has ended on this host. */
export interface RanTask {
  readonly task: TaskRecord;
  /** Spent in this run. */
  readonly costUsd: number;
  /** Stores its result, with all work that is not committed yet, and returns the hash of the manifest. */
  pack(deadline: number): Promise<string>;
  /** Removes it from this host, unless it has work that could not be packed. */
  discard(): Promise<void>;
}

/** Runs admitted tasks on this host, each in its own repository, with the engine for local tasks. */
export interface TaskRunner {
  run(job: TaskJob, claim: ClaimName, control: TaskControl): Promise<RanTask>;
}

/** Work that is not recorded yet must survive the worker, so it is state, not cache. */
const taskClaimsDir = ({ places }: Pick<Context, 'places'>): string =>
  join(places.stateDir, 'fleet', 'tasks');

export function openTaskRunner(worker: Context, store: BlobStore): TaskRunner {
  const context = workerContext(worker);
  const cache = openHostCache(context, store);
  return {
    run: async (job, claim, { stop, onProgress }) => {
      const directory = join(taskClaimsDir(context), nameOfClaim(claim));
      const root = join(directory, 'repository');
      onProgress('fetch');
      const place = { cache, store, root, signal: stop };
      const { id, repository, usage } = await openOrder(context, job, place).catch(async error => {
        // Nothing has worked in it yet.
        await removeClaim(context, directory);
        throw error;
      });
      await execute(context, id, { stop, onProgress });
      const task = await requireTask(context, id);
      const { commonDir } = await context.backends.git.locate(repository);
      let mayDiscard = false;
      return {
        task,
        costUsd: Math.max(0, (task.usage.costUsd ?? 0) - (usage.costUsd ?? 0)),
        pack: async deadline => {
          const found = { commonDir: commonDir ?? '', base: job.base.commit };
          const work = await collectWork(context, task, found);
          const ended = { job, claim, task, work, commonDir: found.commonDir };
          const manifest = await packTaskResult(context, store, ended, { deadline });
          mayDiscard = work.warnings.length === 0;
          return manifest;
        },
        discard: async () => {
          // Its result is stored: what cannot be removed now is removed after a week.
          if (mayDiscard)
            await removeClaim(context, directory).catch(error =>
              context.narrate(`warning: cannot remove ${directory} yet: ${String(error)}`),
            );
        },
      };
    },
  };
}

/** Nothing is made ahead of time, or keeps running, for a repository that is deleted next. */
function workerContext(context: Context): Context {
  return {
    ...context,
    startBackground: () => undefined,
    loadConfig: async root => {
      const loaded = await context.loadConfig(root);
      const pool = { ...loaded.config.pool, spare: 'off' as const, keep: [] };
      return { ...loaded, config: { ...loaded.config, pool } };
    },
  };
}

async function execute(context: Context, id: string, { stop, onProgress }: TaskControl): Promise<void> {
  await executeTask(context, {
    id,
    signal: stop,
    observer: {
      onChange: task => onProgress(describe(task)),
      onActivity: (stage, activity) => onProgress(`${stage}: ${activity}`),
    },
  });
}

/** `stage: activity`, as the submitter shows it. */
function describe({ stages, status }: Task): string {
  const running = stages.filter(stage => stage.status === 'running').map(({ name }) => name);
  return running.length > 0 ? `${running.join(', ')}: ` : status;
}

async function requireTask({ store }: Pick<Context, 'store'>, id: string): Promise<TaskRecord> {
  const task = await store.tasks.find(id);
  if (task) return task;
  throw carrelError('INTERNAL', { problem: `the task ${id} of this worker is gone` });
}

/** Removes the repository of a claim, with the tasks and workspaces in it. */
async function removeClaim(context: Context, path: string): Promise<void> {
  const directory = await realpath(path).catch(ignoreMissing);
  if (directory === undefined) return;
  for (const task of await context.store.tasks.list()) {
    if (!task.repository.startsWith(`${directory}/`)) continue;
    for (const record of await listTaskWorkspaces(context, task))
      await removeWithoutSnapshot(context, record, taskClaimsDir(context));
    await context.store.tasks.remove(task.id);
    await removeTree(taskPlace(context.places.stateDir, task.id).directory);
  }
  await removeTree(directory);
}

/** What a killed or stopped worker had begun, and what could not be packed, is kept for a week. */
const KEPT_MS = 7 * 24 * 60 * 60_000;

/** Removes the claims of tasks that ended long ago without being recorded. */
export async function removeOldClaims(context: Context): Promise<void> {
  const root = taskClaimsDir(context);
  for (const name of (await readdir(root).catch(ignoreMissing)) ?? []) {
    const directory = join(root, name);
    if (context.now() - (await stat(directory)).mtimeMs > KEPT_MS) await removeClaim(context, directory);
  }
}
