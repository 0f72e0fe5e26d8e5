import { expect, test } from 'vitest';
import { thoroughTest } from '../../../test/helpers/flavours.js';
import { useTaskPrograms } from '../../../test/helpers/task/task-programs.js';
import { makeTaskSite } from '../../../test/helpers/task/task-site.js';
import type { App } from '../../app.js';
import type { CarrelEvent } from '../../domain/event.js';
import { takeTurn } from './take-turn.js';

const start = useTaskPrograms();

const at = new Date(0).toISOString();

thoroughTest(
  'of 12 tasks in 6 processes no more run at once than allowed, and they go by priority, then by age',
  async () => {
    const { app, insert, find } = await makeTaskSite();
    const holding = { status: 'running', owner: app.self, heartbeatAt: at } as const;
    const [one, two] = [await insert(holding), await insert(holding)];
    const priorities = [0, 5, -1, 5, 0, 9, 0, -1, 5, 0, 9, 0];
    const tasks = await Promise.all(priorities.map(priority => insert({ priority })));
    const programs = [0, 2, 4, 6, 8, 10].map(first =>
      start(
        `const app = await open();
       await Promise.all(args.slice(1).map(async id => {
         const task = await takeTurn(app, await app.store.tasks.find(id), { concurrency: 2 });
         const expected = { statuses: ['running'], owner: app.self };
         const ended = { type: 'task.succeeded', repositoryId: null, workspaceId: null, taskId: id, data: {} };
         for (let i = 0; i < 40; i++) await app.store.events.list({ limit: 1 });
         if (task.runs.length === 1)
           await app.store.tasks.update(id, expected, { status: 'succeeded', owner: null }, [ended]);
       }));
       await app.close();`,
        JSON.stringify(app.environment),
        ...tasks.slice(first, first + 2).map(task => task.id),
      ),
    );
    await expect
      .poll(async () => (await app.store.tasks.list()).every(task => task.owner), { timeout: 30_000 })
      .toBe(true);
    const expected = { statuses: ['running'], owner: app.self } as const;
    for (const { id } of [one, two])
      await app.store.tasks.update(id, expected, { status: 'succeeded', owner: null }, []);
    for (const program of programs) expect(await program.ended).toMatchObject({ status: 0, stderr: '' });
    const events = await app.store.events.list({ limit: 100 });
    const started = events.filter(event => event.type === 'task.started').map(event => event.taskId);
    const inOrder = tasks.toSorted((a, b) => b.priority - a.priority || (a.createdAt < b.createdAt ? -1 : 1));
    expect(started).toEqual(inOrder.map(task => task.id));
    expect(mostAtOnce(events)).toBeLessThanOrEqual(2);
    expect(await find(inOrder[0]?.id as string)).toMatchObject({
      runs: [{ outcome: 'running', endedAt: null }],
    });
  },
);

function mostAtOnce(events: readonly CarrelEvent[]): number {
  let running = 0;
  let most = 0;
  for (const { type } of events) {
    if (type === 'task.started') most = Math.max(most, ++running);
    if (type === 'task.succeeded') running--;
  }
  return most;
}

test('killed processes use no place and block no others', async () => {
  const { app, insert } = await makeTaskSite();
  const [running, waiting, own] = [await insert(), await insert({ priority: 9 }), await insert()];
  const holder = start(
    `const app = await open();
     const options = { concurrency: 1 };
     await takeTurn(app, await app.store.tasks.find(args[1]), options);
     print('running');
     await takeTurn(app, await app.store.tasks.find(args[2]), options);`,
    JSON.stringify(app.environment),
    running.id,
    waiting.id,
  );
  await holder.printed('running');
  await expect
    .poll(async () => (await app.store.tasks.find(waiting.id))?.owner?.pid, { timeout: 20_000 })
    .toBe(holder.pid);
  const turn = takeTurn(app, own, { concurrency: 1 });
  await expect(takeTurn(app, running, { concurrency: 5 })).rejects.toMatchObject({
    code: 'TASK_BUSY',
    details: { id: running.id, wanted: 'executed here' },
  });
  holder.kill();
  expect(await turn).toMatchObject({ id: own.id, status: 'running', owner: app.self });
});

test('a place that another process takes at the last moment is not taken twice', async () => {
  const { app, insert } = await makeTaskSite();
  const [own, other] = [await insert(), await insert()];
  const controller = new AbortController();
  const running = { status: 'running', owner: app.self, heartbeatAt: at } as const;
  const atomically: App['store']['atomically'] = async action => {
    await app.store.tasks.update(other.id, { statuses: ['waiting'] }, running, []);
    controller.abort();
    return app.store.atomically(action);
  };
  const late = { ...app, store: { ...app.store, atomically } };
  const turn = takeTurn(late, own, { concurrency: 1, signal: controller.signal });
  expect(await turn).toMatchObject({ status: 'cancelled', runs: [] });
});

test('a waiting task reports that it waits, and is cancelled if requested before its turn', async () => {
  const { app, insert, narrated } = await makeTaskSite();
  await insert({ status: 'running', owner: app.self, heartbeatAt: at });
  const [asked, aborted] = [await insert(), await insert()];
  const controller = new AbortController();
  const turns = [
    takeTurn(app, asked, { concurrency: 1 }),
    takeTurn(app, aborted, { concurrency: 1, signal: controller.signal }),
  ];
  await expect
    .poll(() =>
      app.store.tasks.update(
        asked.id,
        { statuses: ['waiting'], owner: app.self },
        { cancelRequestedAt: at },
        [],
      ),
    )
    .toBeTruthy();
  const line = `the task ${aborted.id} waits for its turn: at most 1 at a time, 1 before it`;
  await expect.poll(() => narrated).toContain(line);
  controller.abort();
  const cancelled = { status: 'cancelled', owner: null, runs: [], endedAt: expect.any(String) };
  expect(await Promise.all(turns)).toMatchObject([cancelled, cancelled]);
  await expect(takeTurn(app, asked, { concurrency: 1 })).rejects.toMatchObject({ code: 'TASK_BUSY' });
});

test('releases a waiting task that another process takes', async () => {
  const { app, insert, find } = await makeTaskSite();
  await insert({ status: 'running', owner: app.self, heartbeatAt: at });
  const own = await insert();
  const turn = takeTurn(app, own, { concurrency: 1 });
  const taken = { status: 'interrupted', owner: null } as const;
  await expect
    .poll(() => app.store.tasks.update(own.id, { statuses: ['waiting'], owner: app.self }, taken, []))
    .toBeTruthy();
  await expect(turn).rejects.toMatchObject({ code: 'TASK_BUSY' });
  expect(await find(own.id)).toMatchObject(taken);
});
