import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createId } from '../../domain/id.js';
import { keepHeartbeat } from '../../exec/filesystem/heartbeat-file.js';
import { withScratchDirectory } from '../../git/disk/scratch-directory.js';
import {
  listAbandonedBatches,
  ownerFileOf,
  removeAbandonedBatch,
  removeBatchDirectory,
  removeBatchRepository,
  repositoriesOf,
} from '../../operations/batch/batch-directories.js';
import { formatOwner, heartbeatOf } from '../../operations/batch/owner-file.js';
import type { Context } from '../../operations/context.js';
import { cleanUpScratch } from '../../operations/space/clean-up-scratch.js';
import { makeEvalPlaces } from '../base/eval-places.js';
import type { SealedBase } from '../base/sealed-base.js';
import { writeRepository } from '../base/sealed-base-repository.js';

/**
 * The files of one provider: repositories that borrow the objects of sealed bases, and everything created from them. So
 * nothing that an attempt leaves, not even an object, can be reached by another run, and all of it is removed with the directory.
 */
export interface ProviderDirectory {
  readonly directory: string;
  /** A separate repository with the base's commit on `main`, without files. */
  makeRepository(base: SealedBase): Promise<string>;
  /** Kills processes in the repository's workspaces and removes it with everything created from it. */
  removeRepository(directory: string): Promise<void>;
  remove(): Promise<void>;
}

/** Leftovers of providers of dead processes are removed first. */
export async function openProviderDirectory(context: Context): Promise<ProviderDirectory> {
  const { root, batchDirectories } = await makeEvalPlaces(context);
  await cleanUpScratch(root);
  for (const batchDirectory of await listAbandonedBatches(context))
    await removeAbandoned(context, batchDirectory);
  const directory = join(batchDirectories, createId('run', context.ids));
  await withScratchDirectory(root, async scratch => {
    const draft = join(scratch, 'desk');
    await mkdir(repositoriesOf(draft), { recursive: true });
    await writeFile(ownerFileOf(draft), formatOwner(context.self));
    await rename(draft, directory);
  });
  const batchDirectory = describeProviderDirectory(context, directory);
  const stopShowing = keepHeartbeat(heartbeatOf(ownerFileOf(directory), context.self), () => undefined);
  return {
    ...batchDirectory,
    remove: async () => {
      await batchDirectory.remove();
      stopShowing();
    },
  };
}

const describeProviderDirectory = (context: Context, directory: string): ProviderDirectory => ({
  directory,
  makeRepository: async base => {
    // Workspace folders are named after the last path segment.
    const place = join(repositoriesOf(directory), createId('run', context.ids));
    const repository = join(place, 'eval');
    const draft = join(place, 'draft');
    // Created atomically: an incomplete one would look like a damaged one.
    await writeRepository(draft, base);
    await mkdir(repository);
    await rename(draft, join(repository, '.git'));
    return repository;
  },
  removeRepository: repository => removeBatchRepository(context, repository),
  remove: () => removeBatchDirectory(context, directory),
});

/** Leftovers that cannot be removed now stay for the next provider, and block nothing. */
async function removeAbandoned(context: Context, batchDirectory: string): Promise<void> {
  await removeAbandonedBatch(context, batchDirectory).catch(error => {
    const why = error instanceof Error ? error.message : String(error);
    context.narrate(
      `warning: cannot remove the leftovers of an interrupted batch in ${batchDirectory} yet: ${why}`,
    );
  });
}
