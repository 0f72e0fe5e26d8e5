import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { copyKeepingTime } from '../../git/index/scratch-index.js';
import type { Context } from '../../operations/context.js';
import { removeTree } from '../../workspace/files/remove-tree.js';
import { createHostEnvironments } from '../environment/host-environment.js';
import { batchContext } from './provider-context.js';
import type { ProviderDirectory } from './provider-directory.js';
import { createBasePools } from './provider-pools.js';
import type { OpenedKind, WorkspaceMaker } from './workspace-maker.js';

/** Slots of warm pools, one pool per base. At most as many slots are free as attempts run at once. */
export function openWorktreeKind(outer: Context, parallelism: number): OpenedKind {
  const context = batchContext(outer);
  return { context, createMaker: directory => createMaker(context, parallelism, directory) };
}

function createMaker(
  context: Context,
  parallelism: number,
  batchDirectory: ProviderDirectory,
): WorkspaceMaker {
  const pools = createBasePools(context, batchDirectory, parallelism);
  const openEnvironment = createHostEnvironments(context);
  return {
    make: async (base, task, signal) => {
      const lease = await pools.acquire(base, `the task ${task.id}`, signal);
      const { id, path: workTree, gitDir } = lease;
      const indexFile = join(batchDirectory.directory, id);
      const home = join(batchDirectory.directory, 'homes', id);
      // The agent can change the index of the slot; this copy is from before it started.
      const keepIndex = () => copyKeepingTime(join(gitDir, 'index'), indexFile);
      const giveBack = async () => {
        await pools.release(base, id);
        await rm(indexFile, { force: true });
        await removeTree(home);
      };
      const orGiveBack = async (error: unknown): Promise<never> => {
        await giveBack();
        throw error;
      };
      await keepIndex().catch(orGiveBack);
      const place = { id, task, base, directory: dirname(workTree), workTree, home, gitDir, indexFile };
      return {
        environment: await openEnvironment(place).catch(orGiveBack),
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
