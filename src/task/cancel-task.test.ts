import { expect, test } from 'vitest';
import { makeTaskSite } from '../../test/helpers/task/task-site.js';
import { sampleTask } from '../store/contract/sample-records.js';
import { startHeartbeat } from './attempt/limits/task-heartbeat.js';
import { cancelTask } from './cancel-task.js';
import { stopTask } from './record/stop-task.js';

const stages = sampleTask().stages.map(stage => ({ ...stage, status: 'running' as const }));
const long = new Date(0).toISOString();

test('a task without an owner is cancelled immediately, and one that has ended cannot be cancelled', async () => {
  const { app, insert } = await makeTaskSite();
  const dead = { ...app.self, startedAt: 'another' };
  const abandoned = { status: 'running', owner: dead, stages } as const;
  for (const change of [{}, { status: 'interrupted' }, abandoned] as const) {
    const { id } = await insert(change);
    expect(await cancelTask(app, { id })).toMatchObject({ id, status: 'cancelled' });
    await expect(cancelTask(app, { id })).rejects.toMatchObject({
      code: 'TASK_BUSY',
      message: `the task ${id} is cancelled; it can't be cancelled`,
    });
  }
});

test('a running task is stopped by its own process, which notices the request', async () => {
  const { app, insert, find } = await makeTaskSite();
  const { id } = await insert({ status: 'running', owner: app.self, heartbeatAt: long, stages });
  const alive = startHeartbeat(app, id);
  alive.signal.addEventListener('abort', async () => {
    alive.stop();
    await stopTask(app, await find(id), 'cancelled');
  });
  expect(alive.reason()).toBeUndefined();
  expect(await cancelTask(app, { id })).toMatchObject({
    status: 'cancelled',
    stages: [{ status: 'cancelled' }],
  });
  expect(alive.reason()).toBe('cancelled');
  const types = (await app.store.events.list({ limit: 10 })).map(event => event.type);
  expect(types).toEqual(['task.cancel-requested', 'stage.cancelled', 'task.cancelled']);
});

test('waits only a limited time for a process that does not stop its task', async () => {
  const { app, insert, find } = await makeTaskSite();
  const { id } = await insert({ status: 'validating', owner: app.self, heartbeatAt: long });
  expect(await cancelTask(app, { id, timeoutMs: 1 })).toMatchObject({ status: 'validating' });
  expect((await find(id)).cancelRequestedAt).not.toBeNull();
});
