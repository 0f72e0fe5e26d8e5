import { expect, onTestFinished, test } from 'vitest';
import { createCarrel as openLibrary } from '../../../src/carrel.js';
import { makeRepository } from '../../helpers/repository.js';
import { startTestServer } from '../../helpers/server/test-server.js';
import { createTidyCarrel } from '../../helpers/workspace/test-workspace.js';

test('a program reads the configuration, checks the machine and plans a clean-up', async () => {
  const [{ env }, repository] = [createTidyCarrel(), makeRepository()];
  const carrel = await openLibrary({ repository, environment: env });
  onTestFinished(() => carrel.close());
  const { values } = await carrel.config();
  expect(values.map(({ key }) => key)).toContain('tasks.workflow');
  expect((await carrel.doctor()).checks.map(({ name }) => name)).toContain('git');
  await carrel.workspaces.create({ name: 'one' });
  const plan = await carrel.gc({ olderThanSeconds: 0 });
  expect(plan).toMatchObject({ executed: false, items: [{ name: 'one' }] });
  await expect(carrel.gc({ executed: true } as never)).rejects.toMatchObject({
    code: 'REQUEST_INVALID',
    message: expect.stringContaining('gc: unknown field "executed"; did you mean "execute"?'),
  });
  await expect(carrel.config({ origin: true } as never)).rejects.toMatchObject({ code: 'REQUEST_INVALID' });
});

test('a request reads both, but does not repair', async () => {
  const { client, fetch } = await startTestServer({ repository: makeRepository() });
  expect((await client.config()).values).not.toEqual([]);
  expect((await client.doctor()).checks).not.toEqual([]);
  expect(await fetch('/api/doctor?repair')).toMatchObject({ status: 400 });
  await expect(client.config({ repositry: '/' } as never)).rejects.toMatchObject({ code: 'REQUEST_INVALID' });
});
