import { once } from 'node:events';
import { expect, test } from 'vitest';
import { makeTaskSite } from '../../../../test/helpers/task/task-site.js';
import { startHeartbeat } from './task-heartbeat.js';

test('sends heartbeats for a running task, and notices when another process takes it', async () => {
  const { app, insert, find } = await makeTaskSite();
  const long = new Date(0).toISOString();
  const { id } = await insert({ status: 'running', owner: app.self, heartbeatAt: long });
  const alive = startHeartbeat(app, id);
  await expect.poll(async () => (await find(id)).heartbeatAt).not.toBe(long);
  expect(alive.signal.aborted).toBe(false);
  await app.store.tasks.update(id, { statuses: ['running'] }, { status: 'interrupted', owner: null }, []);
  if (!alive.signal.aborted) await once(alive.signal, 'abort');
  expect(alive.reason()).toBe('lost');
  alive.stop();
});
