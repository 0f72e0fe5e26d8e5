import { lstat, rename, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { carrelError } from '../domain/error.js';
import type { WorkspaceRecord } from '../domain/workspace.js';
import { removeTree } from './remove-tree.js';

// Going, for backends whose workspaces are directories of ours: what `Removal` asks of the files.

/** Beside the workspace, so that moving is one rename on one file system. */
export const asideOf = (record: WorkspaceRecord): string =>
  join(dirname(record.path), `.removing-${record.id}`);

export const isAside = (record: WorkspaceRecord): Promise<boolean> => exists(asideOf(record));

/** From here on nobody reaches the files by their path. */
export const moveAside = (record: WorkspaceRecord): Promise<void> => rename(record.path, asideOf(record));

/** A watcher may have made the directory anew; when it is not empty, somebody has to decide: WORKSPACE_REPLACED. */
export async function moveBack(record: WorkspaceRecord): Promise<void> {
  if (!(await isAside(record))) return;
  await rmdir(record.path).catch(() => undefined);
  if (await exists(record.path)) {
    const found = `something new; its files are at ${asideOf(record)}`;
    throw carrelError('WORKSPACE_REPLACED', { name: record.name, path: record.path, found });
  }
  await rename(asideOf(record), record.path);
}

/** Deletes the files, and the project's folder when that is empty then. */
export async function destroyAside(record: WorkspaceRecord): Promise<void> {
  await removeTree(asideOf(record));
  // Most often it is not empty, and nothing depends on it.
  await rmdir(dirname(record.path)).catch(() => undefined);
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}
