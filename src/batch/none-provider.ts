import { dirname, join } from 'node:path';
import { createId } from '../domain/id.js';
import { copyKeepingTime } from '../git/work-tree/scratch-index.js';
import type { Context } from '../operations/context.js';
import { removeTree } from '../workspace/remove-tree.js';
import type { IsolationProvider } from './isolation-provider.js';
import { batchContext } from './provider-context.js';
import { createHostEnvironments } from './provider-host.js';
import { createProvider } from './provider-life.js';
import type { SealedBase } from './sealed-base.js';
import { writeRepository } from './sealed-base-repository.js';

/** A plain checkout of the base for each attempt, in a directory of its own that is deleted afterwards. */
export function createNoneProvider(outer: Context): IsolationProvider {
  const context = batchContext(outer);
  const openEnvironment = createHostEnvironments(context);
  return createProvider(context, 1, desk => ({
    make: async (base, task, signal) => {
      const workTree = await desk.makeRepository(base);
      const directory = dirname(workTree);
      const gitDir = join(workTree, '.git');
      const place = { task, base, directory, workTree, gitDir, indexFile: join(directory, 'index') };
      await checkOut(context, place, signal);
      const environment = await openEnvironment({ id: createId('lease', context.ids), ...place });
      return {
        environment,
        files: workTree,
        isWarm: false,
        reset: async () => {
          await environment.endAll();
          await removeTree(workTree);
          await writeRepository(gitDir, base);
          await checkOut(context, place, signal);
        },
        giveBack: async () => {
          await environment.endAll();
          await removeTree(directory);
        },
      };
    },
  }));
}

interface Checkout {
  readonly workTree: string;
  readonly gitDir: string;
  readonly base: SealedBase;
  /** Where the index is kept as it was: the one that git works with is the agent's. */
  readonly indexFile: string;
}

async function checkOut(
  { git }: Context,
  { workTree, gitDir, base, indexFile }: Checkout,
  signal: AbortSignal | undefined,
): Promise<void> {
  await git.run(['read-tree', '--reset', '-u', base.commit], { gitDir, workTree, signal });
  await copyKeepingTime(join(gitDir, 'index'), indexFile);
}
