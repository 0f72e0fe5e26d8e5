import { expect, onTestFinished, test } from 'vitest';
import { createCarrel as openLibrary } from '../../../src/carrel.js';
import type { Task } from '../../../src/domain/task/task.js';
import { thoroughTest } from '../../helpers/flavours.js';
import { serveCarrel } from '../../helpers/server/served-carrel.js';
import { makeScriptedTasks } from '../../helpers/task/scripted-tasks.js';

// The operations on tasks are declared once; every surface has them, and refuses the same things.

const makeSite = () =>
  makeScriptedTasks({
    agents: { worker: 'echo made > made.txt; echo done' },
    stages: [{ name: 'only', agent: 'worker' }],
    workflow: { isolation: 'worktree' },
  });

test('the command line lists the newest tasks and prints the patch of one, also without its workspace', () => {
  const { carrel, repository, run } = makeSite();
  const [first, second] = [run(), run()];
  const list = (...args: string[]) => carrel.json<Task[]>(repository, 'task', 'ls', ...args);
  expect(list().map(({ id }) => id)).toEqual([first.id, second.id]);
  expect(list('--limit', '1').map(({ id }) => id)).toEqual([second.id]);
  expect(carrel.ok(repository, 'task', 'diff', first.id)).toContain('+++ b/made.txt');
  const report = carrel.json<object>(repository, 'task', 'diff', first.id);
  expect(report).toMatchObject({ format: 'patch', encoding: 'utf-8' });
});

thoroughTest('a program has the same operations, with the names of every other surface', async () => {
  const { carrel: command, repository, run } = makeSite();
  const { id } = run();
  const carrel = await openLibrary({ repository, environment: command.env });
  onTestFinished(() => carrel.close());
  expect(await carrel.tasks.list({ status: 'succeeded', limit: 1 })).toMatchObject([{ id }]);
  expect(await carrel.tasks.diff(id)).toContain('+made');
  const lines = [];
  for await (const { text } of carrel.tasks.log(id)) lines.push(text);
  expect(lines).toContain('done');
  await expect(carrel.tasks.publish(id, { remote: 'nowhere' })).rejects.toMatchObject({
    code: 'UNKNOWN_REMOTE',
  });
  // Programs that were written before know the limits under other names.
  for (const request of [
    { timeoutSeconds: 60, tokenLimit: 9 },
    { timeoutMs: 60_000, limits: { tokens: 9 } },
  ])
    await expect(carrel.tasks.retry(id, request)).rejects.toMatchObject({ code: 'TASK_BUSY' });
  await expect(carrel.tasks.retry(id, { timeoutSecond: 60 } as never)).rejects.toMatchObject({
    code: 'REQUEST_INVALID',
    message: expect.stringContaining('did you mean "timeoutSeconds"?'),
  });
  const made = await carrel.tasks.create({ description: 'Do it', costLimitUsd: 2, tokenLimit: 1000 });
  expect(made).toMatchObject({ status: 'waiting' });
  expect(await carrel.tasks.cancel(made.id)).toMatchObject({ status: 'cancelled' });
});

thoroughTest('a limit of tokens works on a server, too', async () => {
  const { carrel, repository } = makeSite();
  const server = await serveCarrel(carrel, repository, '--port', '0');
  const at = ['--server', server.url];
  const { id } = carrel.json<Task>(repository, 'run', 'Do it', '--token-limit', '1000', ...at);
  expect(carrel.json<Task[]>(repository, 'task', 'ls', '--limit', '1', ...at)).toMatchObject([
    { id, status: 'succeeded' },
  ]);
  await server.stop();
});
