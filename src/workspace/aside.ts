import { chmod, lstat, mkdir, rename, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { carrelError, errnoOf } from '../domain/error.js';
import type { WorkspaceRecord } from '../domain/workspace.js';
import { removeTree } from './remove-tree.js';

// Going, for backends whose workspaces are directories of ours: what `Removal` asks of the files.

/** Beside the workspace, so that moving is one rename on one file system. Has the shape that domain/remains.ts tells. */
export const remainsOf = (record: WorkspaceRecord): string =>
  join(dirname(record.path), `.removing-${record.id}`);

export const asideOf = (record: WorkspaceRecord): string => join(remainsOf(record), 'tree');

export const isAside = (record: WorkspaceRecord): Promise<boolean> => exists(asideOf(record));

/** From here on nobody reaches the files by their path. */
export async function moveAside(record: WorkspaceRecord): Promise<void> {
  await mkdir(remainsOf(record)).catch(ignoreExisting);
  await renameDirectory(record.path, asideOf(record));
}

/** A watcher may have made the directory anew; when it is not empty, somebody has to decide: WORKSPACE_REPLACED. */
export async function moveBack(record: WorkspaceRecord): Promise<void> {
  if (await isAside(record)) {
    await rmdir(record.path).catch(() => undefined);
    if (await exists(record.path)) {
      const found = `something new; its files are at ${asideOf(record)}`;
      throw carrelError('WORKSPACE_REPLACED', { name: record.name, path: record.path, found });
    }
    await renameDirectory(asideOf(record), record.path);
  }
  // Of the files nothing is left here, only what was to be kept beside them.
  await removeTree(remainsOf(record));
}

/** Deletes the files, and the project's folder when that is empty then. */
export async function destroyAside(record: WorkspaceRecord): Promise<void> {
  await removeTree(remainsOf(record));
  // Most often it is not empty, and nothing depends on it.
  await rmdir(dirname(record.path)).catch(() => undefined);
}

/** A directory that moves to another one has its `..` changed, and for that it must be writable itself. */
async function renameDirectory(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    const { mode } = await lstat(from);
    if (errnoOf(error) !== 'EACCES' || (mode & OWNER_MAY_WRITE) !== 0) throw error;
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
