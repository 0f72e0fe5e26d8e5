import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { createCarrel } from '../../test/helpers/carrel.js';
import { flavours } from '../../test/helpers/flavours.js';
import { usePrograms } from '../../test/helpers/machine/programs.js';
import { waitFor } from '../../test/helpers/wait-for.js';
import { requireBubblewrap } from '../../test/parts/bubblewrap.js';
import { openApp } from '../app.js';
import { createBatchProvider } from './create-provider.js';
import { findSleepers, listLeftovers, TASK } from './provider-contract.js';

const start = usePrograms({
  modules: { app: 'src/app.ts', 'create-provider': 'src/batch/create-provider.ts' },
  imports: `
    import { openApp } from './app.js';
    import { createBatchProvider } from './create-provider.js';`,
});

const WORK_AND_STAY = `
  const [isolation, environment, task, seconds] = args;
  const context = await openApp({ environment: JSON.parse(environment), cwd: '/' });
  const provider = createBatchProvider(context, { isolation, parallelism: 2 });
  await provider.init([JSON.parse(task)]);
  const taken = await provider.acquire(JSON.parse(task));
  print('ready');
  await taken.run({ command: ['sh', '-c', 'echo work > new.txt; git add -A; sleep ' + seconds] });
`;

describe.each(flavours<'full' | 'worktree' | 'none'>('full', 'worktree', 'none'))(
  'with isolation %s',
  isolation => {
    beforeEach(context => (isolation === 'full' ? requireBubblewrap(context) : undefined));

    test('the next batch kills and removes the leftovers of a killed one', async () => {
      const { env, home } = createCarrel();
      const seconds = `3${Date.now()}`;
      const killed = start(WORK_AND_STAY, isolation, JSON.stringify(env), JSON.stringify(TASK), seconds);
      await killed.printed('ready');
      await waitFor('the command', () => (findSleepers(seconds).length > 0 ? true : undefined));
      killed.kill();
      await killed.ended;
      const context = await openApp({ environment: env, cwd: home, recovers: false });
      onTestFinished(() => context.close());
      expect(await listLeftovers(context)).not.toEqual([]);
      const next = createBatchProvider(context, { isolation, parallelism: 2 });
      await next.init([TASK]);
      expect(findSleepers(seconds)).toEqual([]);
      const environment = await next.acquire(TASK);
      const { stdout } = await environment.run({ command: ['git', 'status', '--porcelain', '--ignored'] });
      expect(stdout.toString()).toBe('');
      await next.destroyAll();
      expect(await listLeftovers(context)).toEqual([]);
    }, 60_000);
  },
);
