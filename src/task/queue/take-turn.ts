import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { carrelError } from '../../domain/error/error.js';
import type { TaskRecord } from '../../domain/task/task.js';
import { ACTIVE_STATUSES } from '../../domain/task/task-state.js';
import type { Context } from '../../operations/context.js';
import { stopTask } from '../record/stop-task.js';
import { taskEvent } from '../record/task-event.js';
import { hasLivingOwner } from '../record/task-owner.js';
import { findQueuePlace, type QueuePlace } from './queue.js';

export interface TurnOptions {
  /** Maximum number of tasks running at once, over all processes. */
  readonly concurrency: number;
  /** Cancels the task. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Makes this process the owner of a waiting task and waits for its turn. Returns it `running`, with a new run; or
 * `cancelled`, when that was requested first. TASK_BUSY when it is not waiting, or another process has it.
 */
export async function takeTurn(
  context: Pick<Context, 'store' | 'now' | 'self' | 'narrate'>,
  task: TaskRecord,
  options: TurnOptions,
): Promise<TaskRecord> {
  const claimed = await claimTask(context, task);
  try {
    return await waitForTurn(context, claimed, options);
  } catch (error) {
    // An error must not leave the task owned by a process that no longer works on it.
    await stopTask(context, claimed, 'interrupted').catch(() => undefined);
    throw error;
  }
}

/**
 * Makes this process the owner of a waiting task. Checks inside a transaction: two calls in one process are the same
 * owner. TASK_BUSY.
 */
export async function claimTask(
  context: Pick<Context, 'store' | 'now' | 'self'>,
  { id, ...given }: TaskRecord,
): Promise<TaskRecord> {
  const heartbeatAt = new Date(context.now()).toISOString();
  return context.store.atomically(async ({ tasks }) => {
    const task = (await tasks.find(id)) ?? { id, ...given };
    if (hasLivingOwner(task, context.now()) && !isReservedForUs(context, task)) throw busy(task);
    const expected = { statuses: ['waiting'], owner: task.owner } as const;
    const claimed = await tasks.update(id, expected, { owner: context.self, heartbeatAt }, []);
    if (!claimed) throw busy(task);
    return claimed;
  });
}

/** Created by this process to execute it, but not started yet; see `promiseTaker`. */
const isReservedForUs = ({ self }: Pick<Context, 'self'>, { owner, heartbeatAt }: TaskRecord): boolean =>
  heartbeatAt === null && isDeepStrictEqual(owner, self);

const busy = ({ id, status, owner }: TaskRecord): Error =>
  carrelError('TASK_BUSY', {
    id,
    status: owner === null ? status : `${status} in process ${owner.pid}`,
    wanted: 'executed here',
  });

async function waitForTurn(
  context: Pick<Context, 'store' | 'now' | 'self' | 'narrate'>,
  claimed: TaskRecord,
  { concurrency, signal }: TurnOptions,
): Promise<TaskRecord> {
  for (let isReported = false; ; isReported = true) {
    // Reads first: a write, even without a change, would block processes that work.
    const tasks = await context.store.tasks.list({ statuses: ACTIVE_STATUSES });
    const own = tasks.find(task => task.id === claimed.id) ?? claimed;
    if (own.cancelRequestedAt !== null || signal?.aborted) return cancel(context, own);
    const place = findQueuePlace(tasks, own, { concurrency, now: context.now() });
    const begun = place.isTurn ? await begin(context, own.id, concurrency) : undefined;
    if (begun) return begun;
    if (!isReported) context.narrate(describeWait(own, place, concurrency));
    await sendHeartbeat(context, own);
    await pause(place, concurrency, signal);
  }
}

const describeWait = ({ id }: TaskRecord, { before }: QueuePlace, concurrency: number): string =>
  `the task ${id} waits for its turn: at most ${concurrency} at a time${before > 0 ? `, ${before} before it` : ''}`;

async function cancel(context: Pick<Context, 'store' | 'now'>, own: TaskRecord): Promise<TaskRecord> {
  const cancelled = await stopTask(context, own, 'cancelled');
  if (cancelled) return cancelled;
  throw busy((await context.store.tasks.find(own.id)) ?? own);
}

/** Checks again inside the transaction. */
function begin(
  context: Pick<Context, 'store' | 'now' | 'self'>,
  id: string,
  concurrency: number,
): Promise<TaskRecord | undefined> {
  return context.store.atomically(async ({ tasks }) => {
    const all = await tasks.list({ statuses: ACTIVE_STATUSES });
    const own = all.find(task => task.id === id);
    if (!own || own.cancelRequestedAt !== null) return undefined;
    if (!findQueuePlace(all, own, { concurrency, now: context.now() }).isTurn) return undefined;
    const at = new Date(context.now()).toISOString();
    const runs = [...own.runs, { startedAt: at, endedAt: null, outcome: 'running' as const }];
    const expected = { statuses: ['waiting'], owner: context.self } as const;
    return tasks.update(id, expected, { status: 'running', runs, heartbeatAt: at, endedAt: null }, [
      taskEvent(own, 'task.started', { run: runs.length }),
    ]);
  });
}

/** TASK_BUSY when the task is no longer ours. A heartbeat that cannot be written is retried with the next. */
async function sendHeartbeat(
  context: Pick<Context, 'store' | 'now' | 'self'>,
  own: TaskRecord,
): Promise<void> {
  const at = new Date(context.now()).toISOString();
  const answer = await context.store.tasks.beat(own.id, context.self, at).catch(() => null);
  if (answer === undefined) throw busy((await context.store.tasks.find(own.id)) ?? own);
}

/** Randomized, so that processes spread out; short for those who may be next. */
async function pause(
  { before }: QueuePlace,
  concurrency: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  const shortestMs = before < concurrency ? 40 : 250;
  const waitMs = shortestMs * (1 + 2 * Math.random());
  await sleep(waitMs, undefined, signal && { signal }).catch(() => undefined);
}
