import { once } from 'node:events';
import { expect, test } from 'vitest';
import { makeTaskSite } from '../../test/helpers/task-site.js';
import { keepAlive } from './keep-alive.js';

test('a task that is worked on shows it, and its loss to another is noticed', async () => {
  const { app, insert, find } = await makeTaskSite();
  const long = new Date(0).toISOString();
  const { id } = await insert({ status: 'running', owner: app.self, heartbeatAt: long });
  const alive = keepAlive(app, id);
  await expect.poll(async () => (await find(id)).heartbeatAt).not.toBe(long);
  expect(alive.signal.aborted).toBe(false);
  await app.store.tasks.update(id, { statuses: ['running'] }, { status: 'interrupted', owner: null }, []);
  if (!alive.signal.aborted) await once(alive.signal, 'abort');
  expect(alive.reason()).toBe('lost');
  alive.stop();
});
