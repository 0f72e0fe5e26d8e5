import { lstat, rename, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errnoOf } from '../domain/error.js';
import type { WorkspaceRecord } from '../domain/workspace.js';
import { removeTree } from './remove-tree.js';

// Going, for backends whose workspaces are directories of ours: what `Removal` asks of the files.

/** Beside the workspace, so that moving is one rename on one file system. */
export const asideOf = (record: WorkspaceRecord): string =>
  join(dirname(record.path), `.removing-${record.id}`);

export const isAside = (record: WorkspaceRecord): Promise<boolean> => exists(asideOf(record));

/** From here on nobody reaches the files by their path. */
export const moveAside = (record: WorkspaceRecord): Promise<void> => rename(record.path, asideOf(record));

export async function moveBack(record: WorkspaceRecord): Promise<void> {
  if ((await isAside(record)) && !(await exists(record.path))) await rename(asideOf(record), record.path);
}

/** Deletes the files, and the folders above them that this leaves empty: the project's and the root's. */
export async function destroyAside(record: WorkspaceRecord): Promise<void> {
  await removeTree(asideOf(record));
  await removeEmpty(dirname(record.path));
  await removeEmpty(dirname(dirname(record.path)));
}

async function removeEmpty(directory: string): Promise<void> {
  await rmdir(directory).catch(error => {
    if (!['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes(errnoOf(error) ?? '')) throw error;
  });
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}
