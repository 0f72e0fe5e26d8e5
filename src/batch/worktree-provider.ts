import { dirname } from 'node:path';
import type { Context } from '../operations/context.js';
import { slotPlace } from '../pool/slot-place.js';
import type { IsolationProvider } from './isolation-provider.js';
import { batchContext } from './provider-context.js';
import type { ProviderDesk } from './provider-desk.js';
import { createHostEnvironment } from './provider-host.js';
import { createProvider, type WorkspaceMaker } from './provider-life.js';
import { createBasePools } from './provider-pools.js';

/** Slots of warm pools, one pool for each base. No more slots are free than attempts run at once. */
export function createWorktreeProvider(outer: Context, parallelism: number): IsolationProvider {
  const context = batchContext(outer);
  return createProvider(context, parallelism, desk => createMaker(context, parallelism, desk));
}

function createMaker(context: Context, parallelism: number, desk: ProviderDesk): WorkspaceMaker {
  const pools = createBasePools(context, desk, parallelism);
  return {
    make: async (base, task, signal) => {
      const lease = await pools.acquire(base, `the task ${task.id}`, signal);
      const { id, path } = lease;
      const directory = dirname(path);
      const { pristineIndex: indexFile } = slotPlace(directory);
      return {
        environment: createHostEnvironment(context, { id, task, base, directory, workTree: path, indexFile }),
        files: path,
        isWarm: lease.isWarm,
        reset: () => pools.reset(base, id),
        giveBack: () => pools.release(base, id),
      };
    },
    warm: pools.warm,
    countFree: pools.countFree,
    close: pools.close,
  };
}
