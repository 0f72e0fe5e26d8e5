import type { Overview } from '../../../domain/api/overview.js';
import type { Task, TaskRecord, TaskStatus } from '../../../domain/task/task.js';
import { isBusy, toTask, UNFINISHED_STATUSES } from '../../../domain/task/task-state.js';
import type { ServerContext } from '../server-context.js';
import { findAlerts, type RuntimeLook } from './alerts.js';
import { measureDisks } from './disks.js';
import { describePools } from './pools.js';

/** The number of finished tasks to show. */
const RECENT = 20;
const ENDED = ['succeeded', 'failed', 'cancelled', 'interrupted'] as const satisfies readonly TaskStatus[];

/** Reads only the records, not the files of workspaces. */
export async function describeOverview(
  server: ServerContext,
  lookForRuntime: RuntimeLook,
): Promise<Overview> {
  const { app, version, settings } = server;
  const { store } = app;
  const [active, ended, workspaces, snapshots, { slots }, remains, disks, lastEvent] = await Promise.all([
    store.tasks.list({ statuses: UNFINISHED_STATUSES }),
    store.tasks.list({ statuses: ENDED, newest: RECENT }),
    store.workspaces.list(),
    store.snapshots.list(),
    store.slots.list(),
    store.remains.list(),
    measureDisks(app.places),
    store.events.last(),
  ]);
  const present = new Set(workspaces.map(({ id }) => id));
  const describe = (task: TaskRecord): Task => ({
    ...toTask(task),
    workspaceKept: present.has(task.workspaceId ?? ''),
  });
  const repositories = [...workspaces, ...active, ...ended].map(({ repository }) => repository);
  return {
    version,
    at: new Date(app.now()).toISOString(),
    repository: settings.repository,
    repositories: [...new Set(repositories)].sort(),
    running: active.filter(({ status }) => isBusy(status)).map(describe),
    waiting: active.filter(({ status }) => !isBusy(status)).map(describe),
    recent: ended.toReversed().map(describe),
    workspaces: workspaces.length,
    snapshots: snapshots.filter(({ commit }) => commit !== null).length,
    pools: await describePools(app, slots),
    disks,
    alerts: await findAlerts({ disks, slots, remains, ended, lookForRuntime }),
    lastEvent,
  };
}
