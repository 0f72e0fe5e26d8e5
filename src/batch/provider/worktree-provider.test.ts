import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createCarrel } from '../../../test/helpers/carrel.js';
import { thoroughTest } from '../../../test/helpers/flavours.js';
import { openApp } from '../../app.js';
import type { TaskDescriptor } from '../../domain/batch/task-descriptor.js';
import { createBatchProvider } from '../create-provider.js';

const taskOf = (id: string): TaskDescriptor => ({ id, base: { kind: 'files', files: { 'id.txt': id } } });

async function openProvider() {
  const { env, home } = createCarrel();
  const context = await openApp({ environment: env, cwd: home });
  onTestFinished(() => context.close());
  const provider = createBatchProvider(context, { isolation: 'worktree', parallelism: 2 });
  onTestFinished(() => provider.destroyAll());
  return { context, provider };
}

test('creates one workspace per parallel attempt before they are requested', async () => {
  const { provider } = await openProvider();
  await provider.init([taskOf('a'), taskOf('a'), taskOf('b')]);
  expect(provider.getStats()).toMatchObject({ total: 2, free: 2, warm: 0 });
  const taken = await Promise.all([provider.acquire(taskOf('a')), provider.acquire(taskOf('a'))]);
  expect(provider.getStats()).toEqual({
    ...{ total: 2, free: 0, inUse: 2, waiting: 0, parallelism: 2 },
    ...{ acquired: 2, warm: 2 },
  });
  for (const environment of taken) await provider.release(environment);
});

thoroughTest('workspaces of finished bases do not pile up', async () => {
  const { provider, context } = await openProvider();
  await provider.init([]);
  for (let number = 1; number <= 6; number++) {
    const environment = await provider.acquire(taskOf(`task-${number}`));
    expect((await environment.readFile('id.txt', 100))?.toString()).toBe(`task-${number}`);
    await provider.release(environment);
    expect(provider.getStats().free).toBeLessThanOrEqual(2);
  }
  const [batchDirectory = ''] = readdirSync(join(context.places.cacheDir, 'eval/desks'));
  const repositories = join(context.places.cacheDir, 'eval/desks', batchDirectory, 'repositories');
  await expect.poll(() => readdirSync(repositories).length, { timeout: 20_000 }).toBe(2);
  expect((await context.store.slots.list()).slots).toHaveLength(2);
  await provider.destroyAll();
  expect(existsSync(repositories)).toBe(false);
});
