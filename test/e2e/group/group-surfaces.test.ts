import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createCarrel as openLibrary } from '../../../src/carrel.js';
import type { Carrel } from '../../helpers/carrel.js';
import { thoroughTest } from '../../helpers/flavours.js';
import { commitFiles, git, makeRepository } from '../../helpers/repository.js';
import { connectMcp, textOf } from '../../helpers/server/mcp-client.js';
import { startTestServer } from '../../helpers/server/test-server.js';
import { tempDir } from '../../helpers/temp.js';
import { createTidyCarrel } from '../../helpers/workspace/test-workspace.js';

function makeRepositories() {
  const home = tempDir();
  const at = (name: string) => makeRepository({ 'README.md': `${name}\n` }, join(home, name));
  const [app, web] = [at('app'), at('web')];
  mkdirSync(join(app, '.carrel'));
  writeFileSync(join(app, '.carrel/config.yaml'), 'templates:\n  both:\n    repositories: [../web]\n');
  return { home, app, web };
}

thoroughTest('over HTTP an approved template names them, and every one of them must be allowed', async () => {
  const { home, app, web } = makeRepositories();
  const { client, carrel, fetch } = await startTestServer({ repository: app });
  const sent = { method: 'POST', headers: { 'content-type': 'application/json' } };
  const named = await fetch('/api/workspaces', { ...sent, body: JSON.stringify({ repositories: [web] }) });
  expect(named.status).toBe(400);
  const request = { name: 'login', template: 'both' };
  await expect(client.workspaces.create(request)).rejects.toMatchObject({ code: 'REPOSITORIES_NOT_TRUSTED' });
  carrel.ok(app, 'trust', '--yes');
  await expect(client.workspaces.create(request)).rejects.toMatchObject({ code: 'REPOSITORY_NOT_ALLOWED' });
  expect(carrel.json(app, 'ls', '--all')).toEqual([]);

  // One that the user has made is changed in all repositories, or not at all.
  const { id } = carrel.json<{ id: string }>(app, 'up', 'mine', '--template', 'both');
  // A connection that was idle while the command ran may be closed by now.
  const { client: again } = await startTestServer({ carrel, repository: app });
  await expect(again.workspaces.remove(id)).rejects.toMatchObject({ code: 'REPOSITORY_NOT_ALLOWED' });
  expect(carrel.json(app, 'ls', '--all')).toHaveLength(2);

  const { client: wider } = await startTestServer({ carrel, settings: { allowedRoots: [home] } });
  const made = await wider.workspaces.create({ ...request, repository: app });
  expect(made.repositories?.map(({ alias }) => alias)).toEqual(['app', 'web']);
  expect(await wider.workspaces.show(made.id)).toMatchObject({ repositories: made.repositories });
  commitFiles(made.repositories?.[1]?.path ?? '', { 'new.txt': 'new\n' });
  expect(await wider.workspaces.diff(made.id)).toContain('+++ b/web/new.txt');
  const landed = await wider.workspaces.land(made.id, {});
  expect(landed.repositories).toMatchObject([{ alias: 'web', commits: 1 }]);
  expect(git(web, 'rev-parse', 'main')).toBe(landed.repositories?.[0]?.after);
});

test('over HTTP a task of a workflow needs an approval, and every one of its repositories must be allowed', async () => {
  const { home, app } = makeRepositories();
  writeWorkflow(app);
  const { client, carrel } = await startTestServer({ repository: app });
  useAgent(carrel, 'echo new > new.txt');
  const request = { description: 'Do it', workflow: 'both' };
  await expect(client.tasks.create(request)).rejects.toMatchObject({ code: 'REPOSITORIES_NOT_TRUSTED' });
  carrel.ok(app, 'trust', '--yes');
  await expect(client.tasks.create(request)).rejects.toMatchObject({ code: 'REPOSITORY_NOT_ALLOWED' });
  expect(carrel.json(app, 'task', 'ls')).toEqual([]);

  // A task of the user is changed in all repositories, or not at all.
  const { id } = carrel.json<{ id: string }>(app, 'run', 'Do it', '--workflow', 'both');
  const { client: again } = await startTestServer({ carrel, repository: app });
  await expect(again.tasks.land(id, {})).rejects.toMatchObject({ code: 'REPOSITORY_NOT_ALLOWED' });
  const { client: wider } = await startTestServer({ carrel, settings: { allowedRoots: [home] } });
  expect(await wider.tasks.diff(id)).toContain('+++ b/app/new.txt');
  expect(await wider.tasks.land(id, {})).toMatchObject({ repositories: [{ alias: 'app', commits: 1 }] });
});

thoroughTest('a task of an agent over MCP needs the approval of the user', async () => {
  const { app } = makeRepositories();
  writeWorkflow(app);
  const carrel = createTidyCarrel();
  useAgent(carrel, 'true');
  await using mcp = await connectMcp(carrel, app);
  const untrusted = await mcp.ask('task_run', { description: 'Do it', workflow: 'both' });
  expect(textOf(untrusted)).toContain('REPOSITORIES_NOT_TRUSTED');
  expect(carrel.json(app, 'task', 'ls')).toEqual([]);
});

function writeWorkflow(app: string): void {
  const stages = 'stages: [{name: one, agent: writer}]';
  mkdirSync(join(app, '.carrel/workflows'));
  writeFileSync(
    join(app, '.carrel/workflows/both.yaml'),
    `name: both\ndescription: For a test\nrepositories: [../web]\n${stages}\n`,
  );
}

function useAgent({ home }: Pick<Carrel, 'home'>, command: string): void {
  mkdirSync(join(home, 'config/carrel'), { recursive: true });
  writeFileSync(join(home, 'config/carrel/config.yaml'), JSON.stringify({ agents: { writer: { command } } }));
}

test('an agent over MCP cannot name them', async () => {
  const { app } = makeRepositories();
  const carrel = createTidyCarrel();
  await using mcp = await connectMcp(carrel, app);
  const refused = await mcp.ask('workspace_create', { name: 'login', repositories: ['../web'] });
  expect(refused.isError).toBe(true);
  const untrusted = await mcp.ask('workspace_create', { name: 'login', template: 'both' });
  expect(textOf(untrusted)).toContain('REPOSITORIES_NOT_TRUSTED');
  expect(carrel.json(app, 'ls', '--all')).toEqual([]);
});

thoroughTest('in a program', async () => {
  const { app, web } = makeRepositories();
  const { env } = createTidyCarrel();
  const carrel = await openLibrary({ repository: app, environment: env });
  onTestFinished(() => carrel.close());
  const made = await carrel.workspaces.create({ name: 'login', repositories: { client: '../web' } });
  expect(made.repositories).toMatchObject([
    { alias: 'app', repository: app },
    { alias: 'client', repository: web, branch: 'carrel/login' },
  ]);
  const removed = await carrel.workspaces.remove('login');
  expect(removed.repositories?.map(({ alias }) => alias)).toEqual(['app', 'client']);
});
