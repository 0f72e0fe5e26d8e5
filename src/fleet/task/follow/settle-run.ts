import { isCarrelError } from '../../../domain/error/error.js';
import type { Failure } from '../../../domain/task/failure.js';
import type { LogLine } from '../../../domain/task/log-line.js';
import type { TaskRecord } from '../../../domain/task/task.js';
import type { Context } from '../../../operations/context.js';
import { isOnFleet } from '../../../task/record/current-task.js';
import { stopTask } from '../../../task/record/stop-task.js';
import type { BlobStore } from '../../artifacts/blob-store.js';
import type { Engine } from '../../engine/engine.js';
import type { RunProgress } from '../../engine/run.js';
import { bringTaskBack } from './bring-task-back.js';
import { recordEnd, recordStart } from './record-end.js';

/** The fleet of a task, opened. */
export interface TaskFleet {
  readonly engine: Engine;
  readonly store: BlobStore;
}

export interface SettledRun {
  readonly task: TaskRecord;
  readonly lines: readonly LogLine[];
}

/**
 * Records here what the fleet knows of a task: that a host has it, that it was cancelled before one had, or its result.
 * Unchanged when the fleet has no such run: its submitter was killed before it was submitted.
 */
export async function settleRun(
  context: Context,
  { engine, store }: TaskFleet,
  task: TaskRecord,
): Promise<SettledRun> {
  const run = task.fleet?.run;
  if (!run || !isOnFleet(task)) return { task, lines: [] };
  const [result] = await engine.results(run).catch(orNone);
  if (result) {
    const { isComplete, ...settled } = await bringTaskBack(context, store, task, result);
    // From now on `fleet gc` may remove the files of this run. Commits that were refused are nowhere else.
    if (isComplete) await engine.acknowledge(run, result.sequence).catch(() => undefined);
    return settled;
  }
  const progress = await engine.progress(run).catch(orUndefined);
  if (progress && isExhausted(progress) && task.cancelRequestedAt === null)
    return { task: await failExhausted(context, engine, task, progress), lines: [] };
  if (progress?.state === 'cancelled' && progress.claims.length === 0)
    return { task: (await stopTask(context, task, 'cancelled')) ?? (await reread(context, task)), lines: [] };
  const host = progress?.claims[0]?.host;
  const isNews = host !== undefined && (task.status !== 'running' || task.fleet?.host !== host);
  if (!isNews) return { task, lines: [] };
  return { task: (await noteHost(context, task, host)) ?? (await reread(context, task)), lines: [] };
}

/** No host has it, and none may begin it: a dead one had reserved all of its money. */
export const isExhausted = ({ costLimitUsd, spentUsd, claims }: RunProgress): boolean =>
  costLimitUsd !== null && spentUsd >= costLimitUsd && claims.length === 0;

async function failExhausted(
  context: Context,
  engine: Pick<Engine, 'cancel'>,
  task: TaskRecord,
  { run, costLimitUsd }: RunProgress,
): Promise<TaskRecord> {
  await engine.cancel(run, { claimed: 'stop' });
  const at = new Date(context.now()).toISOString();
  const failure: Failure = {
    ...{ kind: 'limit', stage: null, output: null },
    message: `its worker is gone, and may have spent all that its cost limit left (${costLimitUsd} US dollars)`,
    hint: `carrel task retry ${task.id} allows the same amount again; add --cost-limit N for another one`,
  };
  const host = task.fleet?.host ?? '';
  const end = { status: 'failed', at, startedAt: at, host, patch: { failure }, events: [] } as const;
  return recordEnd(context, task, end);
}

function noteHost(context: Context, task: TaskRecord, host: string): Promise<TaskRecord | undefined> {
  if (task.status !== 'running') return recordStart(context, task, host);
  const fleet = task.fleet && { ...task.fleet, host };
  return context.store.tasks.update(task.id, { statuses: ['running'], owner: null }, { fleet }, []);
}

const reread = async ({ store }: Pick<Context, 'store'>, task: TaskRecord): Promise<TaskRecord> =>
  (await store.tasks.find(task.id)) ?? task;

function orNone(error: unknown): [] {
  orUndefined(error);
  return [];
}

function orUndefined(error: unknown): undefined {
  if (!isCarrelError(error, 'FLEET_RUN_NOT_FOUND')) throw error;
}
