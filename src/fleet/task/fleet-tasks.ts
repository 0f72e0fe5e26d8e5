import { setTimeout as delay } from 'node:timers/promises';
import { carrelError, isCarrelError } from '../../domain/error/error.js';
import { TaskJobSchema } from '../../domain/fleet/task-job.js';
import { hideUrlCredentials } from '../../domain/secret/url-credentials.js';
import type { TaskRecord } from '../../domain/task/task.js';
import type { Context } from '../../operations/context.js';
import type { CancelOptions, FleetTasks } from '../../operations/task/fleet-tasks.js';
import { isOnFleet } from '../../task/record/current-task.js';
import { stopTask } from '../../task/record/stop-task.js';
import { taskEvent } from '../../task/record/task-event.js';
import { attendRun } from '../coordinator/fleet-view.js';
import { parseFleetAddress } from '../open/fleet-address.js';
import { openFleet } from '../open/open-fleet.js';
import { followRun } from './follow/follow-run.js';
import { settleRun, type TaskFleet } from './follow/settle-run.js';
import { requireTravels } from './submit/pack-order.js';
import { submitTask } from './submit/submit-task.js';

/** Between two looks at a task that is being cancelled. */
const LOOK_MS = 200;
/** A fleet is not asked about the same task more often: a dashboard looks all the time. */
const SHORTEST_MS = 1000;

export function createFleetTasks(context: Context): FleetTasks {
  const looked = new Map<string, number>();
  return {
    locate: address => locate(context, address),
    requireTravels: async (plan, { address, labels }) => {
      requireLabels(labels);
      // The redactor learns what the user's file passes to agents.
      await context.loadConfig(null);
      requireTravels(context, plan);
      await withFleet(context, address, async () => undefined);
    },
    execute: (task, options) =>
      withTaskFleet(context, task, async fleet => {
        const { signal } = options;
        const submitted = isOnFleet(task) ? task : await submitTask(context, task, { ...fleet, signal });
        context.narrate(`${submitted.fleet?.run} waits for a worker of ${submitted.fleet?.name}`);
        return followRun(context, fleet, submitted, options);
      }),
    refresh: async task => {
      const last = looked.get(task.id) ?? Number.NEGATIVE_INFINITY;
      if (performance.now() - last < SHORTEST_MS) return task;
      looked.set(task.id, performance.now());
      return refresh(context, task);
    },
    cancel: async (task, options) => {
      try {
        return await withTaskFleet(context, task, fleet => cancelRun(context, fleet, task, options));
      } catch (error) {
        // The fleet was deleted, or never got the task.
        if (!isCarrelError(error, 'FLEET_NOT_INITIALIZED', 'FLEET_RUN_NOT_FOUND')) throw error;
        return (await stopTask(context, task, 'cancelled')) ?? task;
      }
    },
  };
}

async function cancelRun(
  context: Context,
  fleet: TaskFleet,
  task: TaskRecord,
  { timeoutMs, signal }: CancelOptions,
): Promise<TaskRecord> {
  const deadline = performance.now() + timeoutMs;
  const run = task.fleet?.run ?? '';
  await fleet.engine.cancel(run, { claimed: 'stop' });
  // The host may be dead, and then its claim has to be ended.
  const endAttending = attendRun(fleet.engine, run, { onLook: () => undefined, onDead: () => undefined });
  try {
    let current = await noteCancel(context, task);
    for (;;) {
      current = (await settleRun(context, fleet, current)).task;
      if (!isOnFleet(current) || performance.now() > deadline || signal?.aborted) return current;
      await delay(LOOK_MS, undefined, signal && { signal }).catch(() => undefined);
    }
  } finally {
    await endAttending();
  }
}

function locate(context: Context, text: string) {
  const parsed = parseFleetAddress(context, text);
  if (parsed.kind === 'postgres') return { address: parsed.url, name: hideUrlCredentials(parsed.url) };
  return { address: parsed.directory, name: parsed.directory };
}

function requireLabels(labels: readonly string[]): void {
  const parsed = TaskJobSchema.shape.labels.safeParse(labels);
  if (parsed.success) return;
  const found = JSON.stringify(labels);
  const expected = 'at most 16 labels, each a word or name=value';
  throw carrelError('INVALID_INPUT', { what: '--label', found, expected });
}

function withTaskFleet<T>(
  context: Context,
  { plan, id }: TaskRecord,
  use: (fleet: TaskFleet) => Promise<T>,
): Promise<T> {
  if (!plan.fleet) throw carrelError('INTERNAL', { problem: `the task ${id} has no fleet` });
  return withFleet(context, plan.fleet.address, use);
}

async function withFleet<T>(
  context: Context,
  address: string,
  use: (fleet: TaskFleet) => Promise<T>,
): Promise<T> {
  const fleet = await openFleet(context, address);
  try {
    return await use({ engine: fleet.engine, store: await fleet.openStore() });
  } finally {
    await fleet.close();
  }
}

/** What the fleet does not answer now stays for the next time. */
async function refresh(context: Context, task: TaskRecord): Promise<TaskRecord> {
  try {
    return await withTaskFleet(context, task, async fleet => (await settleRun(context, fleet, task)).task);
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    context.narrate(`warning: cannot ask ${task.fleet?.name} about ${task.id}: ${problem}`);
    return task;
  }
}

async function noteCancel(
  { store, now }: Pick<Context, 'store' | 'now'>,
  task: TaskRecord,
): Promise<TaskRecord> {
  const patch = { cancelRequestedAt: new Date(now()).toISOString() };
  const expected = { statuses: [task.status], owner: null };
  const events = [taskEvent(task, 'task.cancel-requested')];
  return (
    (await store.tasks.update(task.id, expected, patch, events)) ?? (await store.tasks.find(task.id)) ?? task
  );
}
