import { lstat, rename, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errnoOf } from '../../domain/error.js';
import type { WorkspaceRecord } from '../../domain/workspace.js';
import type { Git } from '../../git/git.js';
import type { Removal } from '../backend.js';
import { requireOurs } from '../presence.js';
import { releaseRef } from '../release-ref.js';
import { removeTree } from '../remove-tree.js';
import { baseRef } from './base.js';
import { findPresence, unregisterDirectory } from './registration.js';

export function createDirectoryRemoval(git: Git, vaultDir: string): Removal {
  return {
    asideOf,
    setAside: record => setAside(vaultDir, record),
    putBack,
    unregister: async record => {
      await releaseRef(git, vaultDir, baseRef(record));
      await unregisterDirectory(vaultDir, record);
      return { keptBranch: null };
    },
    destroy,
  };
}

const asideOf = (record: WorkspaceRecord): string => join(dirname(record.path), `.removing-${record.id}`);

async function setAside(vaultDir: string, record: WorkspaceRecord): Promise<void> {
  if (await exists(asideOf(record))) return;
  const presence = await findPresence(vaultDir, record);
  requireOurs(record, presence);
  if (presence.kind === 'present') await rename(record.path, asideOf(record));
}

async function putBack(record: WorkspaceRecord): Promise<void> {
  if ((await exists(asideOf(record))) && !(await exists(record.path)))
    await rename(asideOf(record), record.path);
}

/** Deletes the files, and the folders above them that this leaves empty: the project's and the root's. */
async function destroy(record: WorkspaceRecord): Promise<void> {
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
