import { expect, onTestFinished, test } from 'vitest';
import { createCarrel as openLibrary } from '../../../src/carrel.js';
import type { Workspace } from '../../../src/domain/workspace/workspace.js';
import { git, makeRepository } from '../../helpers/repository.js';
import { connectMcp, textOf } from '../../helpers/server/mcp-client.js';
import { startTestServer } from '../../helpers/server/test-server.js';
import { makeScriptedTasks } from '../../helpers/task/scripted-tasks.js';
import { createTidyCarrel } from '../../helpers/workspace/test-workspace.js';

// An operation is declared once; every surface has it, and refuses the same things.

test('the command line renames a workspace; its path, branch and work stay', () => {
  const [carrel, repository] = [createTidyCarrel(), makeRepository()];
  const path = carrel.ok(repository, 'up', 'one');
  expect(carrel.ok(repository, 'rename', 'one', 'two')).toBe('two');
  expect(carrel.ok(repository, 'path', 'two')).toBe(path);
  expect(git(path, 'branch', '--show-current')).toBe('carrel/one');
  expect(carrel.run(repository, 'path', 'one')).toMatchObject({ status: 5 });
  // The old name is free for another workspace, whose branch then has to be another one.
  expect(carrel.ok(repository, 'up', 'one', '--branch', 'other')).not.toBe(path);
  const taken = carrel.run(repository, 'rename', 'one', 'two', '--json');
  expect(JSON.parse(taken.stdout)).toMatchObject({ error: { code: 'WORKSPACE_EXISTS' } });
  const bad = carrel.run(repository, 'rename', 'one', '../two', '--json');
  expect(JSON.parse(bad.stdout)).toMatchObject({ error: { code: 'INVALID_NAME' } });
});

test('over HTTP, with the client, and not with a field that does not exist', async () => {
  const repository = makeRepository();
  const { client, fetch } = await startTestServer({ repository });
  const { id } = await client.workspaces.create({ name: 'one', isolation: 'worktree' });
  expect(await client.workspaces.rename(id, { newName: 'two' })).toMatchObject({ id, name: 'two' });
  const wrong = await fetch(`/api/workspaces/${id}/rename`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ newname: 'three' }),
  });
  expect(wrong.status).toBe(400);
  expect(JSON.stringify(await wrong.json())).toContain('did you mean \\"newName\\"?');
  const mistyped = { newname: 'three' } as unknown as { newName: string };
  await expect(client.workspaces.rename(id, mistyped)).rejects.toMatchObject({ code: 'REQUEST_INVALID' });
  await expect(client.workspaces.rename('ws_none', { newName: 'x' })).rejects.toMatchObject({
    code: 'WORKSPACE_NOT_FOUND',
  });
});

test('over MCP, in the own repository alone', async () => {
  const [carrel, repository, other] = [createTidyCarrel(), makeRepository(), makeRepository()];
  const { id } = JSON.parse(carrel.ok(other, 'up', 'theirs', '--json')) as Workspace;
  await using mcp = await connectMcp(carrel, repository);
  await mcp.call('workspace_create', { name: 'one' });
  const renamed = await mcp.call<Workspace>('workspace_rename', { workspace: 'one', newName: 'two' });
  expect(renamed).toMatchObject({ name: 'two' });
  const refused = await mcp.ask('workspace_rename', { workspace: id, newName: 'mine' });
  expect(refused.isError).toBe(true);
  expect(textOf(refused)).toContain('WORKSPACE_NOT_FOUND');
});

test('in a program', async () => {
  const [{ env }, repository] = [createTidyCarrel(), makeRepository()];
  const carrel = await openLibrary({ repository, environment: env });
  onTestFinished(() => carrel.close());
  await carrel.workspaces.create({ name: 'one' });
  expect(await carrel.workspaces.rename('one', { newName: 'two' })).toMatchObject({ name: 'two' });
  const mistyped = { newname: 'three' } as unknown as { newName: string };
  await expect(carrel.workspaces.rename('two', mistyped)).rejects.toMatchObject({
    code: 'REQUEST_INVALID',
    message: expect.stringContaining('did you mean "newName"?'),
  });
});

test('not while a task works in it', async () => {
  const { carrel, repository } = makeScriptedTasks({
    agents: { worker: 'carrel_name=$(basename "$PWD"); echo "$carrel_name" > name.txt; sleep 1000' },
    stages: [{ name: 'only', agent: 'worker' }],
    workflow: { isolation: 'worktree' },
  });
  const task = carrel.ok(repository, 'run', 'Wait', '--detach');
  onTestFinished(() => void carrel.run(repository, 'task', 'cancel', task));
  const names = () => JSON.parse(carrel.ok(repository, 'ls', '--json')) as Workspace[];
  await expect.poll(() => names().some(({ status }) => status === 'ready'), { timeout: 20_000 }).toBe(true);
  const refused = carrel.run(repository, 'rename', names()[0]?.name as string, 'mine', '--json');
  expect(JSON.parse(refused.stdout)).toMatchObject({ error: { code: 'WORKSPACE_BUSY' } });
});
