import { dirname, join } from 'node:path';
import { createId } from '../../domain/id.js';
import { copyKeepingTime } from '../../git/index/scratch-index.js';
import type { Context } from '../../operations/context.js';
import { removeTree } from '../../workspace/files/remove-tree.js';
import type { SealedBase } from '../base/sealed-base.js';
import { writeRepository } from '../base/sealed-base-repository.js';
import { createHostEnvironments } from '../environment/host-environment.js';
import { batchContext } from './provider-context.js';
import type { OpenedKind } from './workspace-maker.js';

/** A plain checkout of the base for each attempt, in its own directory that is deleted afterwards. */
export function openNoneKind(outer: Context): OpenedKind {
  const context = batchContext(outer);
  const openEnvironment = createHostEnvironments(context);
  const createMaker: OpenedKind['createMaker'] = batchDirectory => ({
    make: async (base, task, signal) => {
      const workTree = await batchDirectory.makeRepository(base);
      const directory = dirname(workTree);
      const gitDir = join(workTree, '.git');
      const home = join(directory, 'home');
      const place = { task, base, directory, workTree, home, gitDir, indexFile: join(directory, 'index') };
      await checkOut(context, place, signal);
      const environment = await openEnvironment({ id: createId('lease', context.ids), ...place });
      return {
        environment,
        files: workTree,
        isWarm: false,
        reset: async ends => {
          await environment.endAll();
          await removeTree(workTree);
          await writeRepository(gitDir, base);
          await checkOut(context, place, ends);
        },
        giveBack: async () => {
          await environment.endAll();
          await removeTree(directory);
        },
      };
    },
  });
  return { context, createMaker };
}

interface Checkout {
  readonly workTree: string;
  readonly gitDir: string;
  readonly base: SealedBase;
  /** A copy of the original index: the agent can change the one that git uses. */
  readonly indexFile: string;
}

async function checkOut(
  { git }: Pick<Context, 'git'>,
  { workTree, gitDir, base, indexFile }: Checkout,
  signal: AbortSignal | undefined,
): Promise<void> {
  await git.run(['read-tree', '--reset', '-u', base.commit], { gitDir, workTree, signal });
  await copyKeepingTime(join(gitDir, 'index'), indexFile);
}
