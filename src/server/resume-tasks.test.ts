import { expect, test } from 'vitest';
import { createCarrel } from '../../test/helpers/carrel.js';
import { makeTaskSite } from '../../test/helpers/task-site.js';
import { startTestServer } from '../../test/helpers/test-server.js';
import { waitFor } from '../../test/helpers/wait-for.js';
import { PLAN } from '../../test/helpers/work-site.js';
import type { AcceptedRequest, TaskRecord } from '../domain/task.js';

const request: AcceptedRequest = { targetRepository: '/code', idempotency: null };
const retried = {
  type: 'task.retried',
  workspaceId: null,
  repositoryId: null,
  data: { from: 'interrupted' },
} as const;

test('what a server had accepted goes on when its process died, twice; what others began is only told of', async () => {
  const { app, home, insert, find } = await makeTaskSite();
  const plan = { ...PLAN, request };
  const dead = { status: 'running', owner: { ...app.self, startedAt: 'long ago' } } as const;
  const accepted = await insert({ ...dead, plan });
  const interrupted = await insert({ status: 'interrupted', plan });
  const hopeless = await insert({ status: 'interrupted', plan });
  await app.store.events.append([1, 2].map(() => ({ ...retried, taskId: hopeless.id })));
  const foreign = await insert({ ...dead, plan: PLAN });

  // Each is handed to a process of its own, which here does nothing.
  const ownCommand = [process.execPath, '-e', ''] as const;
  const { log, stop } = await startTestServer({ carrel: createCarrel(home), ownCommand });
  await waitFor('the last of them', () => log.find(line => line.includes(hopeless.id)));
  await stop();
  const status = async ({ id }: TaskRecord) => (await find(id)).status;
  expect(await Promise.all([accepted, interrupted, hopeless, foreign].map(status))).toEqual([
    'waiting',
    'waiting',
    'interrupted',
    'interrupted',
  ]);
  const told = log.map(line => JSON.parse(line)).filter(({ task }) => task !== undefined);
  expect(told.map(({ task, msg }) => `${task}: ${msg}`)).toEqual([
    `${accepted.id}: an interrupted task is resumed`,
    `${interrupted.id}: an interrupted task is resumed`,
    `${hopeless.id}: a task was interrupted again and is not resumed any more`,
  ]);
});
