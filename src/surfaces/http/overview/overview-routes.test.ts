import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { createCarrel } from '../../../../test/helpers/carrel.js';
import { makeRepository, writeFiles } from '../../../../test/helpers/repository.js';
import { startTestServer } from '../../../../test/helpers/server/test-server.js';
import { openApp } from '../../../app.js';
import { sampleTask } from '../../../store/contract/sample-records.js';
import { findAlerts } from './alerts.js';

test('the overview shows tasks, workspaces and disks', async () => {
  const repository = makeRepository();
  const carrel = createCarrel();
  const app = await openApp({ environment: carrel.env, cwd: repository });
  const { id: repositoryId } = await app.backends.git.locate(repository);
  const insert = async (number: number, status: 'succeeded' | 'interrupted') => {
    const createdAt = `2026-03-0${number}T12:00:00.000Z`;
    const task = sampleTask({
      id: `task_000000000000000${number}`,
      repository,
      repositoryId,
      status,
      createdAt,
    });
    await app.store.tasks.insert({ ...task, owner: null }, []);
  };
  await insert(1, 'interrupted');
  await insert(2, 'succeeded');
  await app.close();
  const { client } = await startTestServer({ repository, carrel });
  await client.workspaces.create({ isolation: 'worktree' });
  const overview = await client.overview();
  expect(overview).toMatchObject({ repository, repositories: [repository], running: [], workspaces: 1 });
  expect(overview.recent.map(({ id }) => id)).toEqual(['task_0000000000000002', 'task_0000000000000001']);
  expect(overview.disks).toMatchObject([{ name: 'state' }, { name: 'cache' }]);
  expect(overview.lastEvent).toBeGreaterThan(0);
  expect(overview.alerts).toContainEqual({
    level: 'warning',
    message: '1 task was interrupted',
    hint: 'resume with: carrel task retry task_0000000000000001',
  });
});

test('a nearly full disk and a missing sandbox cause an alert, a large disk does not', async () => {
  const disk = (freeBytes: number) =>
    ({ name: 'cache', path: '/cache', freeBytes, totalBytes: 1e12 }) as const;
  const facts = { slots: [], remains: [], ended: [], lookForRuntime: async () => true };
  const levels = async (freeBytes: number) =>
    (await findAlerts({ ...facts, disks: [disk(freeBytes)] })).map(({ level }) => level);
  expect(await levels(2e10)).toEqual([]);
  expect(await levels(3e9)).toEqual(['warning']);
  expect(await levels(5e8)).toEqual(['problem']);
  const without = await findAlerts({ ...facts, disks: [], lookForRuntime: async () => false });
  expect(without).toMatchObject([{ level: 'warning', hint: expect.stringContaining('bubblewrap') }]);
});

test('the configuration is shown without the values of variables', async () => {
  const carrel = createCarrel();
  const agent = { command: 'true', environment: { API_KEY: 'sk-secret', DOTTED_NAME: 'sk-other' } };
  writeFiles(carrel.home, { 'config/carrel/config.yaml': stringify({ agents: { mine: agent } }) });
  const { client, fetch } = await startTestServer({ carrel, repository: makeRepository() });
  const text = await (await fetch('/api/config')).text();
  expect(text).not.toContain('sk-');
  const { values } = await client.config();
  expect(values).toContainEqual(
    expect.objectContaining({ key: 'agents.mine.environment.API_KEY', value: '(hidden)' }),
  );
  expect(values).toContainEqual(expect.objectContaining({ key: 'agents.mine.command', value: 'true' }));
  expect(await client.doctor()).toMatchObject({ checks: expect.any(Array) });
});
