import { expect, test } from 'vitest';
import { thoroughTest } from '../../../../test/helpers/flavours.js';
import { commitFiles, git } from '../../../../test/helpers/repository.js';
import { startTestServer } from '../../../../test/helpers/server/test-server.js';
import { makeStorySite } from '../../../../test/helpers/task/story-site.js';
import type { LogLine } from '../../../domain/task/log-line.js';
import { createClient } from '../../client/create-client.js';

const WRITE = 'echo one; echo two; echo three; echo text > made.txt';

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

const printed = (lines: readonly LogLine[]): string[] =>
  lines.filter(({ stream }) => stream === 'stdout').map(({ text }) => text);

test('a task is created, followed by its log, shown as a diff even after its workspace is removed, and landed', async () => {
  const { client, fetch, repository } = await makeStorySite(WRITE);
  const { id } = await client.tasks.create({ description: 'Write', repository, keep: true });
  const followed = await collect(client.tasks.log(id, { follow: true }));
  expect(printed(followed)).toEqual(['one', 'two', 'three']);
  expect(await collect(client.tasks.log(id))).toEqual(followed);
  const path = `/api/tasks/${id}/logs`;
  const lines = await (await fetch(path, { headers: { accept: 'application/x-ndjson' } })).text();
  expect(lines).toBe(followed.map(line => `${JSON.stringify(line)}\n`).join(''));
  expect(await (await fetch(`${path}?tail=2`)).json()).toEqual(followed.slice(-2));
  const resumed = await fetch(`${path}?follow=true`, {
    headers: { 'last-event-id': String(followed.length - 1) },
  });
  expect(await resumed.text()).toBe(
    `: carrel\n\nid: ${followed.length}\nevent: line\ndata: ${JSON.stringify(followed.at(-1))}\n\nevent: end\ndata: {}\n\n`,
  );
  expect(await client.tasks.list({ status: 'succeeded' })).toMatchObject([{ id, workspaceKept: true }]);
  const diff = await client.tasks.diff(id);
  expect(diff).toContain('+++ b/made.txt');
  await client.developer.removeWorktree(id);
  expect(await client.tasks.diff(id)).toBe(diff);
  expect(await client.tasks.land(id, { into: 'main' })).toMatchObject({ into: 'main', commits: 1 });
  expect(git(repository, 'show', 'main:made.txt')).toBe('text');
});

thoroughTest('a failed task is retried in its own process, and a task without work has no diff', async () => {
  const { client, fetch, repository } = await makeStorySite('test -e fine.txt');
  commitFiles(repository, { 'other.txt': '' });
  const { id } = await client.tasks.create({ description: 'Look', repository });
  await collect(client.events({ taskId: id }));
  expect(await client.tasks.show(id)).toMatchObject({ status: 'failed' });
  expect(await client.tasks.retry(id, { timeoutSeconds: 60 })).toMatchObject({ status: 'waiting' });
  const types = (await collect(client.events({ taskId: id }))).map(({ type }) => type);
  expect(types.filter(type => type === 'task.failed' || type === 'task.retried')).toEqual([
    'task.failed',
    'task.retried',
    'task.failed',
  ]);
  expect(await client.tasks.diff(id)).toBe('');
  expect((await fetch(`/api/tasks/${id}/retry`, { method: 'POST' })).status).toBe(202);
  await collect(client.events({ taskId: id }));
  await expect(client.tasks.retry('task_nothing')).rejects.toMatchObject({
    status: 404,
    code: 'TASK_NOT_FOUND',
  });
});

test('an invalid request gets the reason', async () => {
  const { client, fetch, post, url, token } = await makeStorySite('true');
  const own = createClient({ baseUrl: url, token });
  await expect(own.tasks.create({ description: 'x' })).rejects.toMatchObject({
    status: 422,
    code: 'INVALID_INPUT',
  });
  for (const body of [{}, { description: '' }, { description: 'x', priority: 'high' }])
    expect((await post('/api/tasks', body)).status).toBe(400);
  for (const path of ['/api/tasks?limit=0', '/api/tasks?status=odd', '/api/events?after=-1'])
    expect((await fetch(path)).status).toBe(400);
  for (const id of ['..%2f..%2fetc%2fpasswd', '%2e%2e', '____', '%25%25%25%25', 'task_..%2f'])
    expect((await fetch(`/api/tasks/${id}/logs`)).status).toBe(404);
  await expect(collect(client.events({ taskId: 'task_nothing' }))).rejects.toMatchObject({ status: 404 });
});

test('a task of a repository that requests may not name can be read, but not cancelled, retried or landed', async () => {
  const { carrel, client: there, repository } = await makeStorySite('exec sleep 600');
  const { client } = await startTestServer({ carrel });
  const { id } = await there.tasks.create({ description: 'Wait', repository });
  expect(await client.tasks.show(id)).toMatchObject({ id, repository });
  for (const change of ['cancel', 'retry', 'land'] as const)
    await expect(client.tasks[change](id), change).rejects.toMatchObject({
      code: 'REPOSITORY_NOT_ALLOWED',
      status: 403,
    });
  expect(await there.tasks.cancel(id)).toMatchObject({ status: 'cancelled' });
});
