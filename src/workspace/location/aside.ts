import { chmod, lstat, mkdir, rename, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { carrelError, errnoOf } from '../../domain/error/error.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { removeTree } from '../files/remove-tree.js';

// The file part of `Removal`, for backends whose workspaces are directories that Carrel owns.

/** Beside the workspace, so that moving is one rename on one file system. Named as domain/snapshot/remains.ts expects. */
export const remainsOf = (record: WorkspaceRecord): string =>
  join(dirname(record.path), `.removing-${record.id}`);

export const asideOf = (record: WorkspaceRecord): string => join(remainsOf(record), 'tree');

export const isAside = (record: WorkspaceRecord): Promise<boolean> => exists(asideOf(record));

/** From here on the files are gone from their path. */
export async function moveAside(record: WorkspaceRecord): Promise<void> {
  await mkdir(remainsOf(record)).catch(ignoreExisting);
  await renameDirectory(record.path, asideOf(record));
}

/** A watcher may have recreated the directory; when it is not empty, the user must decide: WORKSPACE_REPLACED. */
export async function moveBack(record: WorkspaceRecord): Promise<void> {
  if (await isAside(record)) {
    await rmdir(record.path).catch(() => undefined);
    if (await exists(record.path)) {
      const found = `something new; its files are at ${asideOf(record)}`;
      throw carrelError('WORKSPACE_REPLACED', { name: record.name, path: record.path, found });
    }
    await renameDirectory(asideOf(record), record.path);
  }
  // No files are left here, only what is kept next to them.
  await removeTree(remainsOf(record));
}

/** Deletes the files, and the project's folder if it is then empty. */
export async function removeAside(record: WorkspaceRecord): Promise<void> {
  await removeTree(remainsOf(record));
  // Usually it is not empty, and nothing depends on it.
  await rmdir(dirname(record.path)).catch(() => undefined);
}

/** Moving a directory to another parent changes its `..`, so it must be writable itself. */
export async function renameDirectory(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if (errnoOf(error) !== 'EACCES') throw error;
    const { mode } = await lstat(from);
    if ((mode & OWNER_MAY_WRITE) !== 0) throw error;
    await chmod(from, mode | OWNER_MAY_WRITE);
    await rename(from, to).catch(async second => {
      await chmod(from, mode);
      throw second;
    });
    await chmod(to, mode);
  }
}

const OWNER_MAY_WRITE = 0o200;

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

function ignoreExisting(error: unknown): undefined {
  if (errnoOf(error) !== 'EEXIST') throw error;
}
