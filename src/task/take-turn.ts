import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { carrelError } from '../domain/error.js';
import type { TaskRecord } from '../domain/task.js';
import { ACTIVE_STATUSES } from '../domain/task-state.js';
import type { Context } from '../operations/context.js';
import { findPlace, type QueuePlace } from './queue.js';
import { stopTask } from './stop-task.js';
import { taskEvent } from './task-event.js';
import { hasLivingOwner } from './task-owner.js';

export interface TurnOptions {
  /** Tasks that may be worked on at the same time, in all processes together. */
  readonly concurrency: number;
  /** Cancels the task. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Takes a waiting task into this process's hands and waits for its turn. Gives it `running`, with a run begun; or
 * `cancelled`, when somebody asked for that before. TASK_BUSY when it does not wait, or another process has it.
 */
export async function takeTurn(
  context: Context,
  task: TaskRecord,
  options: TurnOptions,
): Promise<TaskRecord> {
  const claimed = await claim(context, task);
  try {
    return await waitForTurn(context, claimed, options);
  } catch (error) {
    // Whatever it was must not leave the task in the hands of a process that has let go of it.
    await stopTask(context, claimed, 'interrupted').catch(() => undefined);
    throw error;
  }
}

/** Looks while nobody else can change anything: two calls in one process are one owner. */
async function claim(context: Context, { id, ...given }: TaskRecord): Promise<TaskRecord> {
  const heartbeatAt = new Date(context.now()).toISOString();
  return context.store.atomically(async ({ tasks }) => {
    const task = (await tasks.find(id)) ?? { id, ...given };
    if (hasLivingOwner(task, context.now()) && !isMeantForUs(context, task)) throw busy(task);
    const expected = { statuses: ['waiting'], owner: task.owner } as const;
    const claimed = await tasks.update(id, expected, { owner: context.self, heartbeatAt }, []);
    if (!claimed) throw busy(task);
    return claimed;
  });
}

/** Made by this process in order to be executed by it, which it has not begun; see `promiseTaker`. */
const isMeantForUs = ({ self }: Context, { owner, heartbeatAt }: TaskRecord): boolean =>
  heartbeatAt === null && isDeepStrictEqual(owner, self);

const busy = ({ id, status, owner }: TaskRecord): Error =>
  carrelError('TASK_BUSY', {
    id,
    status: owner === null ? status : `${status} in process ${owner.pid}`,
    wanted: 'executed here',
  });

async function waitForTurn(
  context: Context,
  claimed: TaskRecord,
  { concurrency, signal }: TurnOptions,
): Promise<TaskRecord> {
  for (let isTold = false; ; isTold = true) {
    // Looking first: a write, even one that changes nothing, would stand in the way of those who work.
    const tasks = await context.store.tasks.list({ statuses: ACTIVE_STATUSES });
    const own = tasks.find(task => task.id === claimed.id) ?? claimed;
    if (own.cancelRequestedAt !== null || signal?.aborted) return cancel(context, own);
    const place = findPlace(tasks, own, { concurrency, now: context.now() });
    const begun = place.isTurn ? await begin(context, own.id, concurrency) : undefined;
    if (begun) return begun;
    if (!isTold) context.narrate(describeWait(own, place, concurrency));
    await showLife(context, own);
    await pause(place, concurrency, signal);
  }
}

const describeWait = ({ id }: TaskRecord, { before }: QueuePlace, concurrency: number): string =>
  `the task ${id} waits for its turn: at most ${concurrency} at a time${before > 0 ? `, ${before} before it` : ''}`;

async function cancel(context: Context, own: TaskRecord): Promise<TaskRecord> {
  const cancelled = await stopTask(context, own, 'cancelled');
  if (cancelled) return cancelled;
  throw busy((await context.store.tasks.find(own.id)) ?? own);
}

/** Looks once more, now that nobody else can change anything. */
function begin(context: Context, id: string, concurrency: number): Promise<TaskRecord | undefined> {
  return context.store.atomically(async ({ tasks }) => {
    const all = await tasks.list({ statuses: ACTIVE_STATUSES });
    const own = all.find(task => task.id === id);
    if (!own || own.cancelRequestedAt !== null) return undefined;
    if (!findPlace(all, own, { concurrency, now: context.now() }).isTurn) return undefined;
    const at = new Date(context.now()).toISOString();
    const runs = [...own.runs, { startedAt: at, endedAt: null, outcome: 'running' as const }];
    const expected = { statuses: ['waiting'], owner: context.self } as const;
    return tasks.update(id, expected, { status: 'running', runs, heartbeatAt: at, endedAt: null }, [
      taskEvent(own, 'task.started', { run: runs.length }),
    ]);
  });
}

/** TASK_BUSY when the task is not ours any more. A beat that can't be written now is left to the next. */
async function showLife(context: Context, own: TaskRecord): Promise<void> {
  const at = new Date(context.now()).toISOString();
  const answer = await context.store.tasks.beat(own.id, context.self, at).catch(() => null);
  if (answer === undefined) throw busy((await context.store.tasks.find(own.id)) ?? own);
}

/** Uneven, so that processes spread; short for those whose turn may be the next. */
async function pause(
  { before }: QueuePlace,
  concurrency: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  const shortestMs = before < concurrency ? 40 : 250;
  const waitMs = shortestMs * (1 + 2 * Math.random());
  await sleep(waitMs, undefined, signal && { signal }).catch(() => undefined);
}
