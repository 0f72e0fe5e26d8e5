import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { copyKeepingTime } from '../git/work-tree/scratch-index.js';
import type { Context } from '../operations/context.js';
import type { IsolationProvider } from './isolation-provider.js';
import { batchContext } from './provider-context.js';
import type { ProviderDesk } from './provider-desk.js';
import { createHostEnvironments } from './provider-host.js';
import { createProvider, type WorkspaceMaker } from './provider-life.js';
import { createBasePools } from './provider-pools.js';

/** Slots of warm pools, one pool for each base. No more slots are free than attempts run at once. */
export function createWorktreeProvider(outer: Context, parallelism: number): IsolationProvider {
  const context = batchContext(outer);
  return createProvider(context, parallelism, desk => createMaker(context, parallelism, desk));
}

function createMaker(context: Context, parallelism: number, desk: ProviderDesk): WorkspaceMaker {
  const pools = createBasePools(context, desk, parallelism);
  const openEnvironment = createHostEnvironments(context);
  return {
    make: async (base, task, signal) => {
      const lease = await pools.acquire(base, `the task ${task.id}`, signal);
      const { id, path: workTree, gitDir } = lease;
      const indexFile = join(desk.directory, id);
      // Whoever works in the slot can write its index; this one is of when nobody had.
      const keepIndex = () => copyKeepingTime(join(gitDir, 'index'), indexFile);
      const giveBack = async () => {
        await pools.release(base, id);
        await rm(indexFile, { force: true });
      };
      await keepIndex().catch(async error => {
        await giveBack();
        throw error;
      });
      const place = { id, task, base, directory: dirname(workTree), workTree, gitDir, indexFile };
      return {
        environment: await openEnvironment(place),
        files: workTree,
        isWarm: lease.isWarm,
        reset: async () => {
          await pools.reset(base, id);
          await keepIndex();
        },
        giveBack,
      };
    },
    warm: pools.warm,
    countFree: pools.countFree,
    close: pools.close,
  };
}
