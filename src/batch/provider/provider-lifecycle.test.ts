import { expect, onTestFinished, test } from 'vitest';
import { createCarrel } from '../../../test/helpers/carrel.js';
import { openApp } from '../../app.js';
import { listLeftovers, TASK } from '../provider-contract.js';
import { openNoneKind } from './none-provider.js';
import { ProviderLifecycle } from './provider-lifecycle.js';
import type { ProviderKind } from './workspace-maker.js';

/** Copies whose first return fails, as with a process that can't be killed. */
const failsOnce: ProviderKind = context => {
  const opened = openNoneKind(context);
  let failures = 0;
  const createMaker: typeof opened.createMaker = directory => {
    const maker = opened.createMaker(directory);
    const make: typeof maker.make = async (...request) => {
      const workspace = await maker.make(...request);
      const giveBack = async () => {
        if (failures++ === 0) throw new Error('it is still in use');
        await workspace.giveBack();
      };
      return { ...workspace, giveBack };
    };
    return { ...maker, make };
  };
  return { ...opened, createMaker };
};

test('an environment that cannot be returned does not block the others, and is removed at the end', async () => {
  const { env, home } = createCarrel();
  const context = await openApp({ environment: env, cwd: home });
  onTestFinished(() => context.close());
  const source = { open: async () => context, close: async () => undefined };
  const provider = new ProviderLifecycle({ source, parallelism: 1, kind: failsOnce });
  await provider.init([TASK]);
  const broken = await provider.acquire(TASK);
  const next = provider.acquire(TASK);
  await expect(provider.release(broken)).rejects.toThrow('it is still in use');
  await provider.release(await next);
  expect(provider.getStats()).toMatchObject({ inUse: 0, waiting: 0 });
  await provider.destroyAll();
  expect(await listLeftovers(context)).toEqual([]);
});
