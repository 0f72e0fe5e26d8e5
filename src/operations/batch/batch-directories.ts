import { existsSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ignoreMissing } from '../../domain/error/error.js';
import { killOrphans } from '../../exec/stop/kill-tree.js';
import { removeTree } from '../../workspace/files/remove-tree.js';
import type { Context, Places } from '../context.js';
import { isOwnerGone, readOwner, takeOwnership } from './owner-file.js';
import { removeRepositoryWorkspaces } from './remove-repository-workspaces.js';

/** What running batches have on disk: a directory each, with the process that owns it. */
export const batchDirectories = ({ cacheDir }: Pick<Places, 'cacheDir'>): string =>
  join(cacheDir, 'eval', 'desks');

export const ownerFileOf = (batchDirectory: string): string => join(batchDirectory, 'owner.json');

/** Each repository is in its own directory there. */
export const repositoriesOf = (batchDirectory: string): string => join(batchDirectory, 'repositories');

/** Those whose process was killed. */
export async function listAbandonedBatches({ places }: Pick<Context, 'places'>): Promise<string[]> {
  const directory = batchDirectories(places);
  const abandoned: string[] = [];
  for (const name of (await readdir(directory).catch(ignoreMissing)) ?? [])
    if (await isOwnerGone(ownerFileOf(join(directory, name)))) abandoned.push(join(directory, name));
  return abandoned;
}

/** Removes the directory of a killed process with everything made from it. False when another process does it. */
export async function removeAbandonedBatch(context: Context, batchDirectory: string): Promise<boolean> {
  const file = ownerFileOf(batchDirectory);
  const owner = await readOwner(file);
  if (!(await takeOwnership(file, context.self))) return false;
  try {
    if (owner) await killOrphans(owner, { graceMs: 2000 });
    await removeBatchDirectory(context, batchDirectory);
    return true;
  } catch (error) {
    // The next process must see that it is unowned.
    if (owner && existsSync(batchDirectory))
      await writeFile(file, JSON.stringify(owner)).catch(() => undefined);
    throw error;
  }
}

/** A directory that this process owns. */
export async function removeBatchDirectory(context: Context, batchDirectory: string): Promise<void> {
  const names = (await readdir(repositoriesOf(batchDirectory)).catch(ignoreMissing)) ?? [];
  for (const name of names)
    await removeBatchRepository(context, join(repositoriesOf(batchDirectory), name, 'eval'));
  await removeTree(batchDirectory);
}

/** Stops processes in the repository's workspaces and removes it with everything made from it. */
export async function removeBatchRepository(context: Context, repository: string): Promise<void> {
  await removeRepositoryWorkspaces(context, repository, batchDirectories(context.places));
  await removeTree(join(repository, '..'));
}
