import { expect, test } from 'vitest';
import { createCarrel } from '../../../test/helpers/carrel.js';
import { startTestServer } from '../../../test/helpers/server/test-server.js';
import { makeTaskSite } from '../../../test/helpers/task/task-site.js';
import { PLAN } from '../../../test/helpers/task/work-site.js';
import { waitFor } from '../../../test/helpers/wait-for.js';
import type { AcceptedRequest, TaskRecord } from '../../domain/task/task.js';

const request: AcceptedRequest = { targetRepository: '/code', idempotency: null };
const retried = {
  type: 'task.retried',
  workspaceId: null,
  repositoryId: null,
  data: { from: 'interrupted' },
} as const;

test('resumes accepted tasks whose process died, at most twice, and only reports tasks of others', async () => {
  const { app, home, insert, find } = await makeTaskSite();
  const plan = { ...PLAN, request };
  const dead = { status: 'running', owner: { ...app.self, startedAt: 'long ago' } } as const;
  const accepted = await insert({ ...dead, plan });
  const interrupted = await insert({ status: 'interrupted', plan });
  const hopeless = await insert({ status: 'interrupted', plan });
  await app.store.events.append([1, 2].map(() => ({ ...retried, taskId: hopeless.id })));
  const foreign = await insert({ ...dead, plan: PLAN });

  // Each gets a separate process, which does nothing here.
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
    `${accepted.id}: resuming an interrupted task`,
    `${interrupted.id}: resuming an interrupted task`,
    `${hopeless.id}: a task was interrupted again and will not be resumed`,
  ]);
});
