import { mkdir, readdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ignoreMissing } from '../domain/error.js';
import { createId } from '../domain/id.js';
import { killProcesses } from '../exec/kill-tree.js';
import { findOrphans } from '../exec/orphans.js';
import { withScratchDirectory } from '../git/scratch-directory.js';
import type { Context } from '../operations/context.js';
import { sweepScratch } from '../operations/sweep-scratch.js';
import { removeTree } from '../workspace/remove-tree.js';
import { isForsaken, readOwner, takeOwnership } from './owner-file.js';
import { emptyRepository } from './provider-emptying.js';
import { makeEvalPlaces } from './provider-places.js';
import type { SealedBase } from './sealed-base.js';
import { writeRepository } from './sealed-base-repository.js';

/**
 * What one provider has on disk: repositories that borrow the objects of sealed bases, and whatever is made of them. So
 * nothing that an attempt leaves, not even an object, is in reach of another run, and with the desk all of it is gone.
 */
export interface ProviderDesk {
  readonly directory: string;
  /** A repository of its own with the base's commit on `main`, without files. */
  makeRepository(base: SealedBase): Promise<string>;
  /** Ends what works in the repository's workspaces and removes it with everything that was made of it. */
  removeRepository(directory: string): Promise<void>;
  remove(): Promise<void>;
}

/** What providers of dead processes left is settled first. */
export async function openDesk(context: Context): Promise<ProviderDesk> {
  const { root, desks } = await makeEvalPlaces(context);
  await sweepScratch(root);
  for (const name of await readdir(desks)) await settleForsaken(context, join(desks, name));
  const directory = join(desks, createId('run', context.ids));
  await withScratchDirectory(root, async scratch => {
    const draft = join(scratch, 'desk');
    await mkdir(join(draft, REPOSITORIES), { recursive: true });
    await writeFile(join(draft, OWNER), JSON.stringify(context.self));
    await rename(draft, directory);
  });
  return describeDesk(context, directory);
}

const OWNER = 'owner.json';
const REPOSITORIES = 'repositories';

function describeDesk(context: Context, directory: string): ProviderDesk {
  const removeRepository = async (repository: string) => {
    await emptyRepository(context, repository);
    await removeTree(join(repository, '..'));
  };
  return {
    directory,
    makeRepository: async base => {
      // The last name is what folders of workspaces are called by.
      const place = join(directory, REPOSITORIES, createId('run', context.ids));
      const repository = join(place, 'eval');
      const draft = join(place, 'draft');
      // Whole or not at all: half of one could not be told from one that somebody has damaged.
      await writeRepository(draft, base);
      await mkdir(repository);
      await rename(draft, join(repository, '.git'));
      return repository;
    },
    removeRepository,
    remove: async () => {
      for (const repository of await listRepositories(directory)) await removeRepository(repository);
      await removeTree(directory);
    },
  };
}

async function listRepositories(desk: string): Promise<string[]> {
  const names = (await readdir(join(desk, REPOSITORIES)).catch(ignoreMissing)) ?? [];
  return names.map(name => join(desk, REPOSITORIES, name, 'eval'));
}

/** What can't be settled now stays for the next, and stops nobody. */
async function settleForsaken(context: Context, desk: string): Promise<void> {
  const file = join(desk, OWNER);
  if (!(await isForsaken(file))) return;
  const owner = await readOwner(file);
  if (!(await takeOwnership(file, context.self))) return;
  try {
    if (owner) await killProcesses(findOrphans(owner), { graceMs: 2000 });
    await describeDesk(context, desk).remove();
  } catch (error) {
    // The next one has to see that nobody is at it.
    if (owner) await writeFile(file, JSON.stringify(owner)).catch(() => undefined);
    const why = error instanceof Error ? error.message : String(error);
    context.narrate(`warning: what an interrupted batch left in ${desk} could not be removed yet: ${why}`);
  }
}
